//! Redis Cluster's slots: known answers of the published specification and of `CLUSTER KEYSLOT`. No
//! server is asked here.

use keyroute_slot_table::{
    AssignedFill, Assignment, KeyHasher, Node, NodeId, RedisCrc16, RedisSlots, RouteDigest,
    SlotTable, redis_slot,
};

#[test]
fn slots_are_the_known_ones() {
    assert_eq!(RedisCrc16.hash(b"123456789"), 0x31c3);
    for (key, slot) in [
        (&b"123456789"[..], 12_739),
        (b"foo", 12_182),
        (b"bar", 5_061),
        (b"hello", 866),
        (b"", 0),
    ] {
        assert_eq!(redis_slot(key), slot, "{}", key.escape_ascii());
    }
}

#[test]
fn the_tag_is_between_the_first_brace_and_the_next_that_closes() {
    let same = [
        ("{user1000}.following", "user1000"),
        ("{user1000}.followers", "user1000"),
        ("foo{bar}{zap}", "bar"),
        ("foo{{bar}}zap", "{bar"),
        ("a}b{c}d", "c"),
        ("{x}", "x"),
        ("{a}{", "a"),
    ];
    for (key, tag) in same {
        assert_eq!(
            redis_slot(key.as_bytes()),
            redis_slot(tag.as_bytes()),
            "{key}"
        );
    }
    // Nothing between the braces, or no such braces: the whole key counts.
    for key in ["foo{}{bar}", "{}", "{}x", "{", "}", "a{b", "a}b", "}{"] {
        let whole = crc::Crc::<u16>::new(&crc::CRC_16_XMODEM).checksum(key.as_bytes());
        assert_eq!(redis_slot(key.as_bytes()), whole % 16_384, "{key}");
    }
    // A later pair does not count once the first is empty.
    assert_ne!(redis_slot(b"foo{}{bar}"), redis_slot(b"bar"));
}

#[test]
fn a_table_routes_by_slot() {
    let ids =
        ["10.0.0.1:6379", "10.0.0.2:6379", "10.0.0.3:6379"].map(|id| NodeId::new(id).unwrap());
    let ends = [0, 5461, 10_923, 16_384];
    let fill = AssignedFill::new((0..3).map(|i| Assignment {
        first: ends[i],
        last: ends[i + 1] - 1,
        node: ids[i].clone(),
    }));
    let nodes = ids.clone().map(Node::from);
    let table = SlotTable::from_nodes_with(fill, RedisSlots::redis(), nodes).unwrap();
    assert_eq!(table.partitions(), 16_384);
    for key in [
        &b"foo"[..],
        b"bar",
        b"hello",
        b"{user1000}.following",
        b"",
        b"\xff\0{}",
    ] {
        let slot = u32::from(redis_slot(key));
        assert_eq!(table.partition_of(key), slot);
        let owner = ends.iter().rposition(|&end| end <= slot).unwrap();
        assert_eq!(table.route_id(key), Some(&ids[owner]));
        assert_eq!(table.route_digest(table.digest(key)), Ok(table.route(key)));
    }
}
