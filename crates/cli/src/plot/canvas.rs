//! [`PlotFile`]: where a picture goes, and in which form.

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Once;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;

use super::style::{FAMILY, Pixels};
use crate::CliError;

/// A part of a picture.
pub(super) type Area<B> = DrawingArea<B, Shift>;

/// What drawing comes to.
pub(super) type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Pixels of a bitmap along one of a vector drawing: fine enough for a dense screen and for print.
const DENSITY: u32 = 2;

/// Something to draw.
pub(crate) trait Figure {
    /// Width and height of the vector drawing.
    fn size(&self) -> (u32, u32);

    /// Draws on an empty area of this size in these pixels.
    fn draw<B: DrawingBackend>(&self, area: &Area<B>, pixels: Pixels) -> Drawn<B>;
}

/// A file that a picture is written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlotFile {
    path: PathBuf,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Svg,
    Png,
}

impl FromStr for PlotFile {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let path = PathBuf::from(name);
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        let form = match ending.as_deref().and_then(|ending| ending.to_str()) {
            Some("svg") => Form::Svg,
            Some("png") => Form::Png,
            _ => {
                return Err(format!(
                    "{name:?} ends in neither .svg nor .png, the forms of a picture"
                ));
            }
        };
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(format!("{name:?} is in a folder that does not exist"));
        }
        Ok(Self { path, form })
    }
}

impl PlotFile {
    /// Draws a figure and writes the file.
    ///
    /// # Errors
    ///
    /// [`CliError`] that names the file.
    pub(crate) fn write(&self, figure: &impl Figure) -> Result<(), CliError> {
        self.try_write(figure)
            .map_err(|problem| CliError::at(self.path.display(), problem))
    }

    fn try_write(&self, figure: &impl Figure) -> Result<(), String> {
        load_fonts();
        match self.form {
            Form::Svg => {
                let mut text = String::new();
                let area = SVGBackend::with_string(&mut text, figure.size()).into_drawing_area();
                render(figure, area, Pixels(1)).map_err(|error| error.to_string())?;
                fs::write(&self.path, text).map_err(|error| error.to_string())
            }
            Form::Png => {
                let (width, height) = figure.size();
                let (width, height) = (width * DENSITY, height * DENSITY);
                let mut bytes = vec![0; width as usize * height as usize * 3]; // u32 fits
                let area = BitMapBackend::with_buffer(&mut bytes, (width, height));
                render(figure, area.into_drawing_area(), Pixels(DENSITY))
                    .map_err(|error| error.to_string())?;
                self.write_png(&bytes, width, height)
                    .map_err(|error| error.to_string())
            }
        }
    }

    fn write_png(&self, bytes: &[u8], width: u32, height: u32) -> Result<(), png::EncodingError> {
        let file = BufWriter::new(fs::File::create(&self.path)?);
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(bytes)
    }
}

fn render<B: DrawingBackend>(figure: &impl Figure, area: Area<B>, pixels: Pixels) -> Drawn<B> {
    area.fill(&WHITE)?;
    figure.draw(&area, pixels)?;
    area.present()
}

/// Bitmaps are drawn with these fonts, and text is measured with them; a vector drawing names the
/// family, and whoever shows it chooses.
fn load_fonts() {
    static LOADED: Once = Once::new();
    LOADED.call_once(|| {
        for (style, bytes) in [
            (FontStyle::Normal, notosans::REGULAR_TTF),
            (FontStyle::Bold, notosans::BOLD_TTF),
        ] {
            // The bytes are part of the program, and the tests draw with them.
            let _ = register_font(FAMILY, style, bytes);
        }
    });
}
