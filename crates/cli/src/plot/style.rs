//! Colours, sizes and texts that all figures share.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The font family. In a vector drawing it stands for whatever the viewer uses.
pub(super) const FAMILY: &str = "sans-serif";

pub(super) const INK: RGBColor = RGBColor(0x22, 0x2b, 0x33);
pub(super) const FAINT: RGBColor = RGBColor(0x6b, 0x75, 0x80);
pub(super) const GRID: RGBColor = RGBColor(0xe3, 0xe7, 0xeb);

/// Colours that people with any colour vision tell apart (Okabe and Ito, 2008), in the order in which
/// they are used.
pub(super) const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xb2);
pub(super) const VERMILION: RGBColor = RGBColor(0xd5, 0x5e, 0x00);
pub(super) const LINES: [RGBColor; 7] = [
    BLUE,
    VERMILION,
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x60, 0x60, 0x60),
];

/// How many pixels a unit of length takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pixels(pub(super) u32);

impl Pixels {
    /// This length in pixels. Figures are a few thousand units long, so nothing is cut.
    pub(super) fn of(self, length: i32) -> i32 {
        length * i32::try_from(self.0).unwrap_or(1)
    }

    /// A place in pixels.
    pub(super) fn at(self, x: i32, y: i32) -> (i32, i32) {
        (self.of(x), self.of(y))
    }

    /// A font of this size.
    pub(super) fn font(self, size: i32) -> FontDesc<'static> {
        (FAMILY, self.of(size)).into_font()
    }

    /// A text style: size, colour, anchor.
    pub(super) fn text(self, size: i32, colour: RGBColor, h: HPos, v: VPos) -> TextStyle<'static> {
        styled(self.font(size), colour, h, v)
    }

    /// A bold one.
    pub(super) fn bold(self, size: i32, h: HPos, v: VPos) -> TextStyle<'static> {
        let size = self.of(size).into();
        let font = FontDesc::new(FontFamily::Name(FAMILY), size, FontStyle::Bold);
        styled(font, INK, h, v)
    }

    /// A line of this colour, one unit wide.
    pub(super) fn stroke(self, colour: RGBColor) -> ShapeStyle {
        colour.stroke_width(self.0)
    }
}

/// How wide this text is in a font of this size, in units of length.
pub(super) fn width_of(text: &str, size: i32) -> i32 {
    let measured = Pixels(1).font(size).box_size(text);
    let width = measured.map_or(0, |(width, _)| width);
    i32::try_from(width).unwrap_or(i32::MAX)
}

/// The text, shortened until it is at most this wide in a font of this size.
pub(super) fn fitting(text: &str, size: i32, width: i32) -> String {
    let mut most = text.chars().count();
    let mut short = shortened(text, most);
    while most > 1 && width_of(&short, size) > width {
        // In steps of what is over: a few rounds, however long the text is.
        let over = width_of(&short, size) - width;
        most -= usize::try_from(over / size).unwrap_or(0).clamp(1, most - 1);
        short = shortened(text, most);
    }
    short
}

/// A font with a colour and an anchor.
pub(super) fn styled(
    font: FontDesc<'static>,
    colour: RGBColor,
    h: HPos,
    v: VPos,
) -> TextStyle<'static> {
    TextStyle {
        color: colour.to_backend_color(),
        ..TextStyle::from(font).pos(Pos::new(h, v))
    }
}

/// At most this many characters, the last an ellipsis if there were more. Control characters, which
/// no picture shows, become spaces.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if clean.chars().count() <= most {
        return clean;
    }
    let mut short: String = clean.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// The number with commas between thousands.
pub(super) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_in_an_ellipsis() {
        assert_eq!(shortened("cache-01", 8), "cache-01");
        assert_eq!(shortened("cache-001", 8), "cache-0…");
        assert_eq!(shortened("a\u{1b}b", 8), "a b");
    }

    #[test]
    fn thousands_are_set_apart() {
        let texts = [0, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567"]);
    }
}
