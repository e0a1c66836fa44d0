//! TensorBoard's messages, as `event.proto`, `summary.proto` and `step_stats.proto` number their fields: those that are
//! written. Knows no values of ours.

use crate::interop::protobuf::{Bytes, message};

message! {
    /// One record of an event file; of the last six fields one is set.
    pub struct Event {
        1 wall_time: f64,
        2 step: i64,
        3 file_version: String,
        4 graph_def: Bytes,
        5 summary: Option<Summary>,
        8 tagged_run_metadata: Option<TaggedRunMetadata>,
        10 source_metadata: Option<SourceMetadata>,
    }
}

message! {
    /// Who wrote a file.
    pub struct SourceMetadata {
        1 writer: String,
    }
}

message! {
    /// What is told of a step.
    pub struct Summary {
        1 value: Vec<SummaryValue>,
    }
}

message! {
    /// One thing under a tag.
    pub struct SummaryValue {
        1 tag: String,
        2 simple_value: Option<f32>,
        4 image: Option<Image>,
        5 histo: Option<Histogram>,
    }
}

message! {
    /// A picture: grey, or red, green, blue and perhaps alpha.
    pub struct Image {
        1 height: i32,
        2 width: i32,
        3 colorspace: i32,
        4 encoded_image_string: Bytes,
    }
}

message! {
    /// How values are spread.
    pub struct Histogram {
        1 min: f64,
        2 max: f64,
        3 num: f64,
        4 sum: f64,
        5 sum_squares: f64,
        6 bucket_limit: Vec<f64>,
        7 bucket: Vec<f64>,
    }
}

message! {
    /// A run under a name.
    pub struct TaggedRunMetadata {
        1 tag: String,
        2 run_metadata: Bytes,
    }
}

message! {
    /// What is known of a run.
    pub struct RunMetadata {
        1 step_stats: Option<StepStats>,
    }
}

message! {
    /// What each device did.
    pub struct StepStats {
        1 dev_stats: Vec<DeviceStepStats>,
    }
}

message! {
    /// What a device did.
    pub struct DeviceStepStats {
        1 device: String,
        2 node_stats: Vec<NodeExecStats>,
    }
}

message! {
    /// When a node ran, and what it made.
    pub struct NodeExecStats {
        1 node_name: String,
        2 all_start_micros: i64,
        3 op_start_rel_micros: i64,
        4 op_end_rel_micros: i64,
        5 all_end_rel_micros: i64,
        7 output: Vec<NodeOutput>,
        13 all_start_nanos: i64,
        15 op_end_rel_nanos: i64,
        16 all_end_rel_nanos: i64,
    }
}

message! {
    /// One output of a node.
    pub struct NodeOutput {
        1 slot: i32,
        3 tensor_description: Option<TensorDescription>,
    }
}

message! {
    /// A tensor and its memory.
    pub struct TensorDescription {
        1 dtype: i32,
        2 shape: Option<crate::interop::graphdef::ShapeProto>,
        4 allocation_description: Option<AllocationDescription>,
    }
}

message! {
    /// How many bytes a tensor takes.
    pub struct AllocationDescription {
        1 requested_bytes: i64,
    }
}
