//! The writer of event files that users hold. Knows files and messages; what is in them is made elsewhere.

use super::histogram::histogram;
use super::messages::{Event, SourceMetadata, Summary, SummaryValue, TaggedRunMetadata};
use super::picture::picture;
use super::record::write_record;
use super::times::times;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::Tensor;
use crate::interop::protobuf::{Bytes, Message};
use crate::trace::ConcreteFunction;
use crate::types::DType;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Writes what TensorBoard shows into a new file of a folder: `tensorboard --logdir folder`.
///
/// What is told stands in memory until there is enough of it, or [`flush`](SummaryWriter::flush), or the end.
///
/// ```
/// use graphfn::{SummaryWriter, prelude::*};
///
/// #[graph_fn]
/// fn energy(x: &Tensor) -> Tensor {
///     x.square().sum()
/// }
/// # let folder = std::env::temp_dir().join(format!("graphfn-doc-log-{}", std::process::id()));
/// let writer = SummaryWriter::new(&folder)?;
/// let mut x = Tensor::from([1.0f32, -2.0]);
/// writer.graph(&energy::concrete_function(&x)?)?;
/// for step in 0..10 {
///     writer.scalar("energy", energy(&x).item::<f32>(), step)?;
///     writer.histogram("x", &x, step)?;
///     x = x * 0.9;
/// }
/// writer.flush()?;
/// # drop(writer);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct SummaryWriter {
    path: PathBuf,
    file: Mutex<BufWriter<File>>,
}

impl SummaryWriter {
    /// Begins a file in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn new(folder: impl AsRef<Path>) -> Result<SummaryWriter> {
        let path = folder.as_ref().join(file_name());
        let made = std::fs::create_dir_all(folder.as_ref())
            .and_then(|()| File::options().write(true).create_new(true).open(&path));
        let file = made.map_err(|why| cannot("be made", &path, &why))?;
        let writer = SummaryWriter { file: Mutex::new(BufWriter::new(file)), path };
        let file_version = "brain.Event:2".to_string();
        let source_metadata = Some(SourceMetadata { writer: "graphfn".to_string() });
        writer.tell(Event { file_version, source_metadata, ..Event::default() })?;
        Ok(writer)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells a number at a step, such as a loss.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn scalar(&self, tag: &str, number: impl Into<f64>, step: i64) -> Result<()> {
        let simple_value = Some(number.into() as f32);
        self.summary(
            step,
            SummaryValue { tag: tag.to_string(), simple_value, ..Default::default() },
        )
    }

    /// Tells how the elements of a tensor are spread at a step.
    ///
    /// # Errors
    /// If one is infinite or NaN; if the file cannot be written.
    pub fn histogram(&self, tag: &str, values: impl Into<Tensor>, step: i64) -> Result<()> {
        let values = values.into().cast(DType::F64).to_vec::<f64>();
        let histo = Some(histogram(&values)?);
        self.summary(step, SummaryValue { tag: tag.to_string(), histo, ..Default::default() })
    }

    /// Tells a picture at a step: `[height, width]` or `[height, width, channels]` with 1 to 4 channels, of bytes, or of
    /// floats from 0 to 1.
    ///
    /// # Errors
    /// If the tensor is no picture; if the file cannot be written.
    pub fn image(&self, tag: &str, pixels: impl Into<Tensor>, step: i64) -> Result<()> {
        let image = Some(picture(&pixels.into().value())?);
        self.summary(step, SummaryValue { tag: tag.to_string(), image, ..Default::default() })
    }

    /// Tells the graph of a function, as [`graphdef`](ConcreteFunction::graphdef) exports it: a file has one.
    ///
    /// # Errors
    /// If the graph cannot be exported, or the file not be written.
    pub fn graph(&self, function: &ConcreteFunction) -> Result<()> {
        let graph_def = Bytes(function.graphdef()?.encode());
        self.tell(Event { graph_def, ..Event::default() })
    }

    /// Tells how long each node of a function takes on these inputs, under a name that no other step of the file has.
    ///
    /// The nodes run here one by one, and unfused: what a call of the function takes is less. Variables keep their
    /// values; host functions run.
    ///
    /// # Errors
    /// If the inputs are not those of the function, if a node fails on them, or if the file cannot be written.
    pub fn times(
        &self,
        tag: &str,
        function: &ConcreteFunction,
        inputs: &[&Tensor],
        step: i64,
    ) -> Result<()> {
        let run_metadata = Bytes(times(function, inputs)?.encode());
        let tagged_run_metadata = Some(TaggedRunMetadata { tag: tag.to_string(), run_metadata });
        self.tell(Event { step, tagged_run_metadata, ..Event::default() })
    }

    /// Brings to the file what was told so far.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn flush(&self) -> Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.flush().map_err(|why| cannot("be written", &self.path, &why))
    }

    fn summary(&self, step: i64, value: SummaryValue) -> Result<()> {
        self.tell(Event { step, summary: Some(Summary { value: vec![value] }), ..Event::default() })
    }

    fn tell(&self, event: Event) -> Result<()> {
        let event = Event { wall_time: now().as_secs_f64(), ..event };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        write_record(&mut *file, &event.encode())
            .map_err(|why| cannot("be written", &self.path, &why))
    }
}

/// A name as TensorFlow gives it: the time, the machine, the process, and a number.
fn file_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let machine = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let machine = match machine.trim() {
        "" => "localhost",
        name => name,
    };
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("events.out.tfevents.{:010}.{machine}.{}.{number}", now().as_secs(), process::id())
}

fn now() -> Duration {
    // A clock before 1970 is wrong, and no reason to lose a log.
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn cannot(what: &str, path: &Path, why: &io::Error) -> Error {
    let message = format!("`{}` cannot {what}: {why}", path.display());
    Error::new(ErrorKind::Format, message)
        .with_help("look at the folder, its permissions and its space")
}
