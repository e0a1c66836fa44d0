//! How variables are changed so that a loss falls: one small file for each rule, and what all rules share. Knows no
//! layer.

mod adagrad;
mod adam;
mod adam_w;
mod clip;
mod explain;
mod gradient_descent;
mod loss;
mod minimize;
mod momentum;
mod rate;
mod rms_prop;
mod schedule;
mod settings;
mod update;

pub use crate::graph::Role;
pub use adagrad::Adagrad;
pub use adam::Adam;
pub use adam_w::AdamW;
pub use clip::Clip;
pub use gradient_descent::GradientDescent;
pub use loss::Loss;
pub use minimize::Optimizer;
pub use momentum::{Kind, Momentum};
pub use rate::Rate;
pub use rms_prop::RmsProp;
pub use schedule::{CosineDecay, ExponentialDecay};
pub use settings::Settings;
pub use update::{Update, Updated};
