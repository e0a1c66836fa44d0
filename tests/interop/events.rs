//! Event files as another reader sees them: frames by their definition, messages by prost. Shares no code with the writer.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub struct Event {
    #[prost(double, tag = "1")]
    pub wall_time: f64,
    #[prost(int64, tag = "2")]
    pub step: i64,
    #[prost(oneof = "What", tags = "3, 4, 5, 8")]
    pub what: Option<What>,
    #[prost(message, optional, tag = "10")]
    pub source: Option<Source>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum What {
    #[prost(string, tag = "3")]
    Version(String),
    #[prost(bytes, tag = "4")]
    Graph(Vec<u8>),
    #[prost(message, tag = "5")]
    Summary(Summary),
    #[prost(message, tag = "8")]
    Run(TaggedRun),
}

#[derive(Clone, PartialEq, Message)]
pub struct Source {
    #[prost(string, tag = "1")]
    pub writer: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Summary {
    #[prost(message, repeated, tag = "1")]
    pub value: Vec<SummaryValue>,
}

#[derive(Clone, PartialEq, Message)]
pub struct SummaryValue {
    #[prost(string, tag = "1")]
    pub tag: String,
    #[prost(float, optional, tag = "2")]
    pub number: Option<f32>,
    #[prost(message, optional, tag = "4")]
    pub image: Option<Image>,
    #[prost(message, optional, tag = "5")]
    pub histogram: Option<Histogram>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Image {
    #[prost(int32, tag = "1")]
    pub height: i32,
    #[prost(int32, tag = "2")]
    pub width: i32,
    #[prost(int32, tag = "3")]
    pub colorspace: i32,
    #[prost(bytes = "vec", tag = "4")]
    pub png: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Histogram {
    #[prost(double, tag = "1")]
    pub min: f64,
    #[prost(double, tag = "2")]
    pub max: f64,
    #[prost(double, tag = "3")]
    pub num: f64,
    #[prost(double, tag = "4")]
    pub sum: f64,
    #[prost(double, repeated, tag = "6")]
    pub limits: Vec<f64>,
    #[prost(double, repeated, tag = "7")]
    pub counts: Vec<f64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TaggedRun {
    #[prost(string, tag = "1")]
    pub tag: String,
    #[prost(bytes = "vec", tag = "2")]
    pub metadata: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct RunMetadata {
    #[prost(message, optional, tag = "1")]
    pub steps: Option<StepStats>,
}

#[derive(Clone, PartialEq, Message)]
pub struct StepStats {
    #[prost(message, repeated, tag = "1")]
    pub devices: Vec<DeviceStats>,
}

#[derive(Clone, PartialEq, Message)]
pub struct DeviceStats {
    #[prost(string, tag = "1")]
    pub device: String,
    #[prost(message, repeated, tag = "2")]
    pub nodes: Vec<NodeStats>,
}

#[derive(Clone, PartialEq, Message)]
pub struct NodeStats {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int64, tag = "2")]
    pub start: i64,
    #[prost(int64, tag = "5")]
    pub end: i64,
}

#[derive(Clone, PartialEq, Message)]
pub struct GraphDef {
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeDef>,
}

#[derive(Clone, PartialEq, Message)]
pub struct NodeDef {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub op: String,
    #[prost(string, repeated, tag = "3")]
    pub input: Vec<String>,
}

/// The events of a file, whose frames are all whole.
pub fn events(bytes: &[u8]) -> Vec<Event> {
    let mut rest = bytes;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_at(8);
        let size = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        let (check, after) = after.split_at(4);
        assert_eq!(check, masked(length).to_le_bytes(), "the check of a length");
        let (data, after) = after.split_at(size);
        let (check, after) = after.split_at(4);
        assert_eq!(check, masked(data).to_le_bytes(), "the check of a record");
        found.push(Event::decode(data).expect("a record is an event"));
        rest = after;
    }
    found
}

/// The masked CRC-32C, bit by bit.
fn masked(bytes: &[u8]) -> u32 {
    let bit = |rest: u32, _| if rest & 1 == 1 { rest >> 1 ^ 0x82f6_3b78 } else { rest >> 1 };
    let rest = !bytes.iter().fold(!0, |rest: u32, byte| (0..8).fold(rest ^ u32::from(*byte), bit));
    rest.rotate_right(15).wrapping_add(0xa282_ead8)
}
