//! Messages in the wire format of Protocol Buffers: declared as structs, written as bytes. Knows no message.
//!
//! Only what is written: `prost` with its derive would be six more crates for the four forms that a field has here.

use std::collections::BTreeMap;

/// Bytes, where a `Vec<u8>` would be a list of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

/// What a field may be.
pub trait Field {
    /// Whether it is left out, as proto3 leaves out zeros and what is empty.
    fn is_absent(&self) -> bool;

    /// Writes it under its number, also if it is zero or empty.
    fn put(&self, number: u32, out: &mut Vec<u8>);

    /// Writes it under its number, unless it is left out.
    fn write(&self, number: u32, out: &mut Vec<u8>) {
        if !self.is_absent() {
            self.put(number, out);
        }
    }
}

/// A struct whose fields have numbers.
pub trait Message {
    /// Writes all its fields.
    fn write_fields(&self, out: &mut Vec<u8>);

    /// Its bytes.
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_fields(&mut out);
        out
    }
}

/// Declares a message: each field has its number before it.
macro_rules! message {
    ($(#[$doc:meta])* $visibility:vis struct $name:ident {
        $($(#[$field_doc:meta])* $number:literal $field:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $visibility struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $crate::interop::protobuf::Message for $name {
            fn write_fields(&self, out: &mut Vec<u8>) {
                $($crate::interop::protobuf::Field::write(&self.$field, $number, out);)*
            }
        }
    };
}
pub(super) use message;

/// The forms of a field on the wire.
const VARINT: u32 = 0;
const BITS_64: u32 = 1;
const LENGTH: u32 = 2;
const BITS_32: u32 = 5;

/// Seven bits a byte, the lowest first; the top bit says that more follow.
fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn tag(number: u32, form: u32, out: &mut Vec<u8>) {
    varint(u64::from(number << 3 | form), out);
}

fn block(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    tag(number, LENGTH, out);
    varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

macro_rules! fields {
    ($($type:ty: |$it:ident, $number:ident, $out:ident| $is_absent:expr, $put:expr;)*) => {$(
        impl Field for $type {
            fn is_absent(&self) -> bool {
                let $it = self;
                $is_absent
            }

            fn put(&self, $number: u32, $out: &mut Vec<u8>) {
                let $it = self;
                $put
            }
        }
    )*};
}
fields!(
    String: |it, number, out| it.is_empty(), block(number, it.as_bytes(), out);
    Bytes: |it, number, out| it.0.is_empty(), block(number, &it.0, out);
    bool: |it, number, out| !*it, i64::from(*it).put(number, out);
    i32: |it, number, out| *it == 0, i64::from(*it).put(number, out);
    i64: |it, number, out| *it == 0, {
        tag(number, VARINT, out);
        varint(it.cast_unsigned(), out);
    };
    f32: |it, number, out| it.to_bits() == 0, {
        tag(number, BITS_32, out);
        out.extend_from_slice(&it.to_le_bytes());
    };
    f64: |it, number, out| it.to_bits() == 0, {
        tag(number, BITS_64, out);
        out.extend_from_slice(&it.to_le_bytes());
    };
);

impl<T: Field> Field for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        self.iter().for_each(|it| it.put(number, out));
    }
}

impl<T: Field> Field for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        self.iter().for_each(|it| it.put(number, out));
    }
}

impl<T: Message> Field for T {
    fn is_absent(&self) -> bool {
        false
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        block(number, &self.encode(), out);
    }
}

/// A map is a list of pairs, the key as field 1 and the value as field 2.
impl<T: Field> Field for BTreeMap<String, T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        for (key, value) in self {
            let mut pair = Vec::new();
            key.put(1, &mut pair);
            value.put(2, &mut pair);
            block(number, &pair, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    message! {
        /// The examples of the format's documentation.
        struct Example {
            1 a: i32,
            2 b: String,
            3 c: Option<Inner>,
            4 d: Vec<f64>,
            5 e: BTreeMap<String, i32>,
            6 f: Bytes,
            7 g: bool,
            8 h: f32,
        }
    }

    message! {
        struct Inner {
            1 a: i64,
        }
    }

    #[track_caller]
    fn check(message: &Example, hex: &str) {
        let found: Vec<String> = message.encode().iter().map(|it| format!("{it:02x}")).collect();
        assert_eq!(found.join(" "), hex);
    }

    /// Bytes from protobuf.dev/programming-guides/encoding, the rest from Python's `protobuf` 7.36 with the same fields.
    #[test]
    fn fields_are_written_as_elsewhere() {
        let of = |a: i32| Example { a, ..Example::default() };
        check(&of(150), "08 96 01");
        check(&of(-2), "08 fe ff ff ff ff ff ff ff ff 01");
        check(&of(0), "");
        check(&Example { b: "testing".into(), ..of(0) }, "12 07 74 65 73 74 69 6e 67");
        check(&Example { c: Some(Inner { a: 150 }), ..of(0) }, "1a 03 08 96 01");
        check(&Example { c: Some(Inner { a: 0 }), ..of(0) }, "1a 00");
        check(
            &Example { d: vec![0.0, 1.5], ..of(0) },
            "21 00 00 00 00 00 00 00 00 21 00 00 00 00 00 00 f8 3f",
        );
        check(&Example { e: [("k".to_string(), 0)].into(), ..of(0) }, "2a 05 0a 01 6b 10 00");
        check(&Example { f: Bytes(vec![1, 2]), ..of(0) }, "32 02 01 02");
        check(&Example { g: true, h: -0.0, ..of(0) }, "38 01 45 00 00 00 80");
    }
}
