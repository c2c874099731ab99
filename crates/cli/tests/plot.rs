//! `keyroute compare --plot`: the files it writes, and what is on them.

#![cfg(feature = "plot")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;

use common::{file, keyroute, path, with_args};
use roxmltree::Document;

const BLUE: [u8; 3] = [0x00, 0x72, 0xb2];
const VERMILION: [u8; 3] = [0xd5, 0x5e, 0x00];

/// How many pixels have each colour, and the picture's size.
fn pixels(name: &str) -> (u32, u32, HashMap<[u8; 3], usize>) {
    let file = BufReader::new(File::open(name).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(frame.color_type, png::ColorType::Rgb);
    let mut colours = HashMap::new();
    for pixel in bytes.as_chunks::<3>().0 {
        *colours.entry(*pixel).or_default() += 1;
    }
    (frame.width, frame.height, colours)
}

/// The texts of a vector drawing, and how many shapes have each fill.
fn texts(name: &str) -> (Vec<String>, HashMap<String, usize>) {
    let source = std::fs::read_to_string(name).unwrap();
    let document = Document::parse(&source).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "svg");
    let mut texts = Vec::new();
    let mut fills = HashMap::new();
    for node in root.descendants() {
        match node.tag_name().name() {
            "text" => texts.push(node.text().unwrap().trim().to_owned()),
            "rect" => {
                *fills
                    .entry(node.attribute("fill").unwrap().to_owned())
                    .or_default() += 1;
            }
            _ => {}
        }
    }
    (texts, fills)
}

fn draw(args: &str, picture: &str) -> String {
    let picture = path(picture).to_str().unwrap().to_owned();
    keyroute(&format!("compare --no-timing {args} --plot {picture}")).ok();
    picture
}

#[test]
fn a_bitmap_shows_bars_of_both_colours() {
    let name = draw("--strategies modulo,vector-ring", "it.png");
    let (width, height, colours) = pixels(&name);
    assert_eq!(width, 2760);
    assert!((600..2000).contains(&height), "{height}");
    let all = (width * height) as usize;
    // Two panels of bars nearly full; nine tenths of the keys move needlessly under modulo.
    assert!(colours[&BLUE] > all / 20, "{}", colours[&BLUE]);
    assert!(colours[&VERMILION] > 10_000, "{}", colours[&VERMILION]);
    assert!(colours[&[255, 255, 255]] > all / 2);

    let name = draw("--strategies vector-ring", "ring.png");
    let (_, _, colours) = pixels(&name);
    // The legend's square and nothing else.
    let legend = colours[&VERMILION];
    assert!(legend < 1000, "a ring moves nothing needlessly: {legend}");
}

#[test]
fn a_vector_drawing_is_xml_with_its_texts_in_it() {
    let name = draw(
        "--strategies vector-ring,btree-ring,bounded,ketama,libketama,jump,modulo",
        "it.svg",
    );
    let (texts, fills) = texts(&name);
    for text in [
        "Balance of keys, and keys moved by a change",
        "vector-ring, btree-ring, bounded",
        "ketama, libketama",
        "modulo",
        "cache-01",
        "cache-10",
        "Moved by: add newcomer",
        "Moved by: remove cache-06",
        "n/a: removes only the last node of the list, which is \"cache-10\"",
        "needed",
    ] {
        assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
    }
    // Five balances of ten nodes, two changes of seven strategies less one refusal, one in the legend.
    assert_eq!(fills["#0072B2"], 5 * 10 + 2 * 7 - 1 + 1);
    assert_eq!(fills["#D55E00"], 2 * 7 - 1 + 1);
}

#[test]
fn hundred_nodes_and_hostile_names_can_be_drawn() {
    let many: String = (0..100)
        .map(|i| format!("node-with-a-long-name-{i}\n"))
        .collect();
    let fleet = file("many", many);
    let name = draw(&format!("--fleet {fleet} --strategies jump"), "many.svg");
    let (found, fills) = texts(&name);
    assert!(
        found.iter().any(|text| text.starts_with("nodes 1 to 100,")),
        "{found:?}"
    );
    assert_eq!(fills["#0072B2"], 100 + 2 - 1 + 1);

    let hostile = file(
        "hostile.json",
        r#"{"nodes": [{"id": "<&\">"}, {"id": "]]>\u0007\u001b[31m"}, {"id": "節点"}]}"#,
    );
    for picture in ["hostile.svg", "hostile.png"] {
        draw(&format!("--fleet {hostile}"), picture);
    }
    let (found, _) = texts(path("hostile.svg").to_str().unwrap());
    assert!(found.iter().any(|text| text == "<&\">"), "{found:?}");

    let huge: String = (0..2000).map(|i| format!("{i}\n")).collect();
    let fleet = file("huge", huge);
    let args = format!("--fleet {fleet} --strategies modulo --keys-pattern k{{}} --count 9999");
    let (found, fills) = texts(&draw(&args, "huge.svg"));
    assert!(
        found.iter().any(|text| text.contains("sorted by load")),
        "{found:?}"
    );
    assert!(fills["#0072B2"] < 500);
}

#[test]
fn one_node_that_moves_nothing_can_be_drawn() {
    let fleet = file("one", "only\n");
    let args = format!("--fleet {fleet} --reweight only=2 --keys-pattern k{{}} --count 10");
    let (found, _) = texts(&draw(&args, "one.svg"));
    assert!(found.iter().any(|text| text == "0.00 %"), "{found:?}");
    let args = format!("--fleet {fleet} --points 1,2 --keys-pattern k{{}} --count 10");
    draw(&args, "one.png");
}

#[test]
fn a_table_of_points_is_drawn_as_lines() {
    let args = "--points 1,10,100 --hash crc32,xxh3 --keys-pattern k{} --count 5000";
    let (found, _) = texts(&draw(args, "points.svg"));
    for text in [
        "How many points, and which hash?",
        "crc32",
        "xxh3",
        "random points",
        "1",
        "10",
        "100",
    ] {
        assert!(found.iter().any(|found| found == text), "{text}: {found:?}");
    }
    let (width, height, colours) = pixels(&draw(args, "points.png"));
    assert_eq!((width, height), (1960, 1120));
    assert!(colours[&BLUE] > 500 && colours[&VERMILION] > 500);
}

#[test]
fn what_cannot_be_drawn_is_refused_before_the_work() {
    for (picture, part) in [
        ("it.jpg", "\"it.jpg\" ends in neither .svg nor .png"),
        ("it", "neither .svg nor .png"),
        ("svg", "neither .svg nor .png"),
        (".png", "neither .svg nor .png"),
        ("no-such-folder/it.svg", "a folder that does not exist"),
    ] {
        // More keys than can be read in the time: they are not.
        let args = [
            "compare",
            "--keys-pattern",
            "{}",
            "--count",
            "16000000",
            "--plot",
            picture,
        ];
        let message = with_args(&args).refused();
        assert!(message.contains(part), "{picture}: {message}");
    }
    let nine: Vec<String> = (0..9).map(|i| format!("--add n{i}")).collect();
    let message = keyroute(&format!("compare --each {} --plot it.svg", nine.join(" "))).refused();
    assert!(
        message.contains("9 changes, at most 8 fit a picture"),
        "{message}"
    );
    // Upper case is an ending, too.
    draw("--strategies jump --keys-pattern k{} --count 9", "IT.PNG");
}
