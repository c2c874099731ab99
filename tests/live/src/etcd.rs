//! etcd: one member on loopback, whose data outlives it.

use crate::{Folder, Server, free_ports};

/// An etcd of one member. What it was told is there again when it is started again.
#[derive(Debug)]
pub struct Etcd {
    server: Option<Server>,
    folder: Folder,
    port: u16,
    peers: u16,
}

impl Etcd {
    /// Starts one without data, for the test of this name.
    ///
    /// # Panics
    ///
    /// If etcd is not installed or does not start.
    #[must_use]
    pub fn start(name: &str) -> Self {
        let ports = free_ports(2);
        let mut etcd = Self {
            server: None,
            folder: Folder::new(&format!("etcd-{name}")),
            port: ports[0],
            peers: ports[1],
        };
        etcd.start_again();
        etcd
    }

    /// Starts it with the data that it had.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn start_again(&mut self) {
        let client = format!("http://127.0.0.1:{}", self.port);
        let peers = format!("http://127.0.0.1:{}", self.peers);
        let cluster = format!("live={peers}");
        let folder = self.folder.path().join("data");
        let folder = folder.to_string_lossy();
        let arguments = [
            ["--name", "live"],
            ["--data-dir", &folder],
            ["--listen-client-urls", &client],
            ["--advertise-client-urls", &client],
            ["--listen-peer-urls", &peers],
            ["--initial-advertise-peer-urls", &peers],
            ["--initial-cluster", &cluster],
            // The shortest lease is one and a half of the latter.
            ["--heartbeat-interval", "50"],
            ["--election-timeout", "500"],
            ["--logger", "zap"],
            ["--log-level", "fatal"],
        ];
        let server = Server::start("etcd", arguments.as_flattened(), &[self.port]);
        self.server = Some(server);
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.server = None;
    }

    /// Lets it stand still: connections stay, and nothing answers.
    ///
    /// # Panics
    ///
    /// If it does not run.
    pub fn stand_still(&self) {
        self.tell("STOP");
    }

    /// Lets it go on.
    ///
    /// # Panics
    ///
    /// If it does not run.
    pub fn go_on(&self) {
        self.tell("CONT");
    }

    fn tell(&self, name: &str) {
        let server = self.server.as_ref();
        server.expect("etcd runs").signal(name);
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where it is, for clients.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}
