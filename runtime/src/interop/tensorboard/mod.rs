//! What TensorBoard shows, in its own files: graphs, scalars, histograms, images, times of steps. Knows the formats of
//! those files, and no op.

mod checksum;
mod histogram;
mod messages;
mod picture;
mod record;
mod times;
mod writer;

pub use writer::SummaryWriter;
