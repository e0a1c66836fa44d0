//! Handwritten digits: a network of two layers learns 1,437 images, and is tested on 360 that it has not seen.
//!
//! `cargo run --release --example digits -- [--seed N] [--save FILE] [--load FILE] [--png DIR] [--quiet]`
//!
//! The images are the 1,797 of the UCI repository, 8 by 8 pixels each (E. Alpaydin and C. Kaynak, "Optical recognition of
//! handwritten digits", 1998). The seed decides which of them are for the test, the first weights, and the order of
//! training. `--save` and `--load` take a file that ends in `.safetensors` or `.npz`; a network that was loaded is only
//! tested. `--png` draws the loss of each epoch and the digits that were misread. The last line is the accuracy.

use flate2::read::GzDecoder;
use graphfn::loss::sparse_softmax_cross_entropy;
use graphfn::{checkpoint, prelude::*};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const PIXELS: usize = 64;
const IMAGES: usize = 1797;
const TRAINED: usize = 1437;
const EPOCHS: usize = 60;
const BATCH: usize = 32;

#[derive(Tree)]
struct Network {
    hidden: Dense,
    dropout: Dropout,
    digits: Dense,
}

impl Network {
    fn new() -> Network {
        Network {
            hidden: Dense::new(256).activation(Activation::Relu),
            dropout: Dropout::new(0.3),
            digits: Dense::new(10),
        }
    }

    fn call(&self, x: &Tensor, phase: Phase) -> Tensor {
        self.digits.call(&self.dropout.call(&self.hidden.call(x), phase))
    }

    /// One step of training; gives the loss before it.
    #[graph_fn(signature(x: f32[n, 64], labels: i64[n]))]
    fn step(&self, adam: &Adam, x: &Tensor, labels: &Tensor) -> Tensor {
        let logits = self.call(x, Phase::Train);
        adam.minimize(sparse_softmax_cross_entropy(&logits, labels).mean())
    }

    /// The digit that each image is taken for.
    #[graph_fn(signature(x: f32[?, 64]))]
    fn read(&self, x: &Tensor) -> Tensor {
        self.call(x, Phase::Eval).argmax_axis(1)
    }
}

/// Images, a row of numbers from 0 to 1 each, and the digits that they show.
#[derive(Clone)]
struct Digits {
    pixels: Vec<f32>,
    labels: Vec<i64>,
}

impl Digits {
    /// Those at some places, in that order.
    fn at(&self, places: &[usize]) -> Digits {
        let image = |at: &usize| &self.pixels[at * PIXELS..(at + 1) * PIXELS];
        Digits {
            pixels: places.iter().flat_map(image).copied().collect(),
            labels: places.iter().map(|at| self.labels[*at]).collect(),
        }
    }

    fn len(&self) -> usize {
        self.labels.len()
    }

    fn tensors(&self) -> (Tensor, Tensor) {
        let pixels = Tensor::from(self.pixels.clone()).reshape([self.len(), PIXELS]);
        (pixels, Tensor::from(self.labels.clone()))
    }
}

fn main() -> ExitCode {
    match Options::read(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/digits.csv.gz");
    let all = digits(&file).map_err(|why| format!("{}: {why}", file.display()))?;
    if let Some(folder) = &options.png {
        std::fs::create_dir_all(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    }
    random::set_seed(options.seed);
    let order = shuffled(all.len());
    let (train, test) = (all.at(&order[..TRAINED]), all.at(&order[TRAINED..]));
    let network = Network::new();
    let losses = match &options.load {
        Some(file) => {
            checkpoint::load(&network, file).map_err(|error| error.to_string())?;
            Vec::new()
        }
        None => training(&network, &train, options.is_quiet),
    };
    if let Some(file) = &options.save {
        checkpoint::save(&network, file).map_err(|error| error.to_string())?;
    }
    let read = network.read(&test.tensors().0).to_vec::<i64>();
    let misread: Vec<usize> = (0..test.len()).filter(|at| read[*at] != test.labels[*at]).collect();
    if let Some(folder) = &options.png {
        let drawn = plot::misread(&folder.join("misread.png"), &test, &read, &misread);
        drawn.and_then(|()| match &losses[..] {
            [] => Ok(()),
            losses => plot::losses(&folder.join("loss.png"), losses),
        })?;
    }
    let right = test.len() - misread.len();
    println!("test accuracy: {:.1} %", 100.0 * right as f64 / test.len() as f64);
    Ok(())
}

/// Trains a network; gives the mean loss of each epoch.
fn training(network: &Network, train: &Digits, is_quiet: bool) -> Vec<f32> {
    let started = Instant::now();
    let bar = if is_quiet { ProgressBar::hidden() } else { ProgressBar::new(EPOCHS as u64) };
    let style = "{bar:40} epoch {pos} of {len}, {msg}";
    bar.set_style(ProgressStyle::with_template(style).expect("the template is one"));
    let adam = Adam::new(2e-3);
    let mut losses = Vec::new();
    for _ in 0..EPOCHS {
        let mut sum = 0.0;
        for places in shuffled(train.len()).chunks(BATCH) {
            let (x, labels) = train.at(places).tensors();
            let loss = network.step(&adam, &x, &labels).item::<f32>();
            sum += loss * places.len() as f32;
        }
        losses.push(sum / train.len() as f32);
        bar.set_message(format!("loss {:.4}", losses[losses.len() - 1]));
        bar.inc(1);
    }
    bar.finish_and_clear();
    if !is_quiet {
        let traces = Network::step_graph_fn().trace_count();
        let (loss, time) = (losses[EPOCHS - 1], started.elapsed());
        println!("{EPOCHS} epochs in {time:.2?}, loss {loss:.4}, {traces} traces of a step");
    }
    losses
}

/// The numbers below a count, in an order that the library's generator draws.
fn shuffled(count: usize) -> Vec<usize> {
    let draws = random::uniform::<f64>([count], 0.0, 1.0).to_vec::<f64>();
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| draws[*a].total_cmp(&draws[*b]));
    places
}

/// Reads lines of 64 numbers from 0 to 16 and a digit.
fn digits(file: &Path) -> Result<Digits, String> {
    let file = std::fs::File::open(file).map_err(|error| error.to_string())?;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(GzDecoder::new(file));
    let mut all = Digits { pixels: Vec::new(), labels: Vec::new() };
    for record in reader.deserialize::<Vec<u8>>() {
        let record = record.map_err(|error| error.to_string())?;
        match record.split_last() {
            Some((label @ 0..=9, pixels)) if pixels.len() == PIXELS => {
                all.labels.push((*label).into());
                all.pixels.extend(pixels.iter().map(|it| f32::from(*it) / 16.0));
            }
            _ => return Err(format!("line {} is no digit", all.len() + 1)),
        }
    }
    match all.len() {
        IMAGES => Ok(all),
        found => Err(format!("expected {IMAGES} images, found {found}")),
    }
}

/// What the command line says.
#[derive(Default)]
struct Options {
    seed: i64,
    save: Option<PathBuf>,
    load: Option<PathBuf>,
    png: Option<PathBuf>,
    is_quiet: bool,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--quiet" => options.is_quiet = true,
                "--save" => options.save = Some(value()?.into()),
                "--load" => options.load = Some(value()?.into()),
                "--png" => options.png = Some(value()?.into()),
                "--seed" => {
                    let value = value()?;
                    let seed = value.parse();
                    options.seed = seed.map_err(|_| format!("`{value}` is no whole number"))?;
                }
                _ => {
                    let usage = "[--seed N] [--save FILE] [--load FILE] [--png DIR] [--quiet]";
                    return Err(format!("unknown option `{word}`: the options are {usage}"));
                }
            }
        }
        Ok(options)
    }
}

/// Pictures without a font: what they have to say in words is digits, and those are drawn.
mod plot {
    use super::{Digits, PIXELS};
    use plotters::prelude::{
        BLACK, BLUE, BitMapBackend, IntoDrawingArea, LineSeries, RGBColor, Rectangle, WHITE,
    };
    use plotters::prelude::{ChartBuilder, DrawingArea};
    use std::error::Error;
    use std::path::Path;

    type Area<'a> = DrawingArea<BitMapBackend<'a>, plotters::coord::Shift>;

    /// The digits in three columns of five pixels, row by row, and the dot.
    const GLYPHS: [(char, u16); 11] = [
        ('0', 0b111_101_101_101_111),
        ('1', 0b010_110_010_010_111),
        ('2', 0b111_001_111_100_111),
        ('3', 0b111_001_111_001_111),
        ('4', 0b101_101_111_001_001),
        ('5', 0b111_100_111_001_111),
        ('6', 0b111_100_111_101_111),
        ('7', 0b111_001_010_010_010),
        ('8', 0b111_101_111_101_111),
        ('9', 0b111_101_111_001_111),
        ('.', 0b000_000_000_000_010),
    ];

    /// The loss of each epoch, as a curve.
    pub fn losses(file: &Path, losses: &[f32]) -> Result<(), String> {
        told(file, curve(file, losses))
    }

    /// Each image that was misread, with what it shows below it in black, and what it was taken for in red.
    pub fn misread(
        file: &Path,
        test: &Digits,
        read: &[i64],
        places: &[usize],
    ) -> Result<(), String> {
        told(file, gallery(file, test, read, places))
    }

    fn told(file: &Path, drawn: Result<(), Box<dyn Error>>) -> Result<(), String> {
        drawn.map_err(|error| format!("{}: {error}", file.display()))
    }

    fn curve(file: &Path, losses: &[f32]) -> Result<(), Box<dyn Error>> {
        let area = BitMapBackend::new(file, (640, 400)).into_drawing_area();
        area.fill(&WHITE)?;
        let (epochs, highest) = (losses.len(), losses.iter().copied().fold(0.0, f32::max));
        let mut chart = ChartBuilder::on(&area)
            .margin(24)
            .margin_left(56)
            .build_cartesian_2d(1.0..epochs as f32, 0.0..highest.max(f32::MIN_POSITIVE))?;
        chart.plotting_area().fill(&RGBColor(245, 245, 245))?;
        let points = losses.iter().enumerate().map(|(at, loss)| (at as f32 + 1.0, *loss));
        chart.draw_series(LineSeries::new(points, &BLUE))?;
        write(&area, &format!("{highest:.2}"), (8, 20), 3, BLACK)?;
        write(&area, "0", (40, 365), 3, BLACK)?;
        write(&area, "1", (52, 381), 3, BLACK)?;
        write(&area, &epochs.to_string(), (600, 381), 3, BLACK)?;
        area.present()?;
        Ok(())
    }

    fn gallery(
        file: &Path,
        test: &Digits,
        read: &[i64],
        places: &[usize],
    ) -> Result<(), Box<dyn Error>> {
        const COLUMNS: usize = 6;
        let rows = places.len().div_ceil(COLUMNS).max(1);
        let size = (COLUMNS as u32 * 100, rows as u32 * 120);
        let area = BitMapBackend::new(file, size).into_drawing_area();
        area.fill(&WHITE)?;
        for (at, place) in places.iter().enumerate() {
            let (left, top) = ((at % COLUMNS * 100 + 10) as i32, (at / COLUMNS * 120 + 5) as i32);
            for (pixel, ink) in test.pixels[place * PIXELS..][..PIXELS].iter().enumerate() {
                let (x, y) = (left + (pixel % 8 * 10) as i32, top + (pixel / 8 * 10) as i32);
                let grey = 255 - (ink * 255.0) as u8;
                square(&area, (x, y), 10, RGBColor(grey, grey, grey))?;
            }
            write(&area, &test.labels[*place].to_string(), (left + 15, top + 87), 4, BLACK)?;
            let red = RGBColor(200, 0, 0);
            write(&area, &read[*place].to_string(), (left + 53, top + 87), 4, red)?;
        }
        area.present()?;
        Ok(())
    }

    /// Draws digits and dots; their pixels are squares of a size.
    fn write(
        area: &Area<'_>,
        text: &str,
        (left, top): (i32, i32),
        size: i32,
        color: RGBColor,
    ) -> Result<(), Box<dyn Error>> {
        for (at, wanted) in (0..).zip(text.chars()) {
            let (_, rows) = GLYPHS
                .iter()
                .find(|(glyph, _)| *glyph == wanted)
                .ok_or_else(|| format!("`{wanted}` cannot be drawn"))?;
            for pixel in (0..15).filter(|pixel| rows >> (14 - pixel) & 1 == 1) {
                let x = left + (4 * at + pixel % 3) * size;
                square(area, (x, top + pixel / 3 * size), size, color)?;
            }
        }
        Ok(())
    }

    fn square(
        area: &Area<'_>,
        (x, y): (i32, i32),
        size: i32,
        color: RGBColor,
    ) -> Result<(), Box<dyn Error>> {
        let corners = [(x, y), (x + size, y + size)];
        Ok(area.draw(&Rectangle::new(corners, plotters::style::Color::filled(&color)))?)
    }
}
