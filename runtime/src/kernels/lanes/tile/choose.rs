//! The loop of each instruction and element type. Knows no programs and no tiles.

use super::function;
use super::kernel::{Map, TileFn, compiled, scalar};
use super::number::{Float, Integer, Number};
use crate::kernels::Isa;
use crate::kernels::lanes::{BinaryOp, CompareOp, Instr, UnaryOp};
use crate::types::DType;
use std::marker::PhantomData;

/// The same instruction by a loop that there is: `a > b` is `b < a`.
pub(in crate::kernels) fn ordered(instr: Instr) -> Instr {
    match instr {
        Instr::Compare(CompareOp::Gt, a, b) => Instr::Compare(CompareOp::Lt, b, a),
        Instr::Compare(CompareOp::Ge, a, b) => Instr::Compare(CompareOp::Le, b, a),
        _ => instr,
    }
}

/// The loop of an [`ordered`] instruction that computes: its operands' type (of the last one, for a select) and its result's.
///
/// # Panics
/// If the instruction does not take the type.
pub(in crate::kernels) fn instruction(instr: Instr, from: DType, to: DType, isa: Isa) -> TileFn {
    find(instr, from, to, isa)
        .unwrap_or_else(|| panic!("{instr:?} does not compute on {}", from.rust_name()))
}

/// Whether there is a loop of an instruction for this type of its operands and of its result.
pub(in crate::kernels) fn computes(instr: Instr, from: DType, to: DType) -> bool {
    find(ordered(instr), from, to, Isa::best()).is_some()
}

fn find(instr: Instr, from: DType, to: DType, isa: Isa) -> Option<TileFn> {
    match instr {
        Instr::Unary(op, _) => unary(op, from, isa),
        Instr::Binary(op, ..) => binary(op, from, isa),
        Instr::Compare(op, ..) => compare(op, from, isa),
        Instr::Select(..) => Some(select(to, isa)),
        Instr::Cast(_) => cast(from, to, isa),
        Instr::Input(_) | Instr::Const(_) => None,
    }
}

/// The loop that copies elements of a type.
pub(in crate::kernels) fn copy(dtype: DType, isa: Isa) -> TileFn {
    match dtype.size() {
        1 => compiled::<Copy<u8>>(isa),
        4 => compiled::<Copy<u32>>(isa),
        _ => compiled::<Copy<u64>>(isa),
    }
}

/// Functions of one element: `Name<Bound>(operands) -> result = value`.
macro_rules! maps {
    ($($name:ident<$bound:ident>($x:ident $(, $y:ident)?) -> $r:ty = $result:expr;)*) => {$(
        struct $name<T>(PhantomData<T>);

        impl<T: $bound> Map for $name<T> {
            type A = T;
            type B = maps!(@second $($y)?);
            type C = ();
            type R = $r;
            #[inline(always)]
            fn map($x: T, maps!(@name $($y)?): Self::B, _: ()) -> $r {
                $result
            }
        }
    )*};
    (@second $y:ident) => { T };
    (@second) => { () };
    (@name $y:ident) => { $y };
    (@name) => { () };
}

maps! {
    Neg<Number>(x) -> T = x.neg();
    Abs<Number>(x) -> T = x.abs();
    Sqrt<Float>(x) -> T = x.sqrt();
    Floor<Float>(x) -> T = x.floor();
    Ceil<Float>(x) -> T = x.ceil();
    Round<Float>(x) -> T = x.round();
    Trunc<Float>(x) -> T = x.trunc();
    Add<Number>(x, y) -> T = x.add(y);
    Sub<Number>(x, y) -> T = x.sub(y);
    Mul<Number>(x, y) -> T = x.mul(y);
    Div<Float>(x, y) -> T = x.div(y);
    Max<Number>(x, y) -> T = x.max(y);
    Min<Number>(x, y) -> T = x.min(y);
    FloatFloorDiv<Float>(x, y) -> T = x.floor_div(y);
    FloatFloorMod<Float>(x, y) -> T = x.floor_mod(y);
    FloatTruncDiv<Float>(x, y) -> T = x.trunc_div(y);
    FloatTruncMod<Float>(x, y) -> T = x.trunc_mod(y);
    Lt<Number>(x, y) -> u8 = u8::from(x < y);
    Le<Number>(x, y) -> u8 = u8::from(x <= y);
    Eq<Number>(x, y) -> u8 = u8::from(x == y);
    Ne<Number>(x, y) -> u8 = u8::from(x != y);
    Truth<Number>(x) -> u8 = u8::from(x != T::default());
}

/// Functions of two integers, some pairs of which are faults.
macro_rules! faulting_maps {
    ($($name:ident($x:ident, $y:ident) = $result:expr, fault $fault:expr;)*) => {$(
        struct $name<T>(PhantomData<T>);

        impl<T: Integer> Map for $name<T> {
            type A = T;
            type B = T;
            type C = ();
            type R = T;
            const FAULTS: bool = true;
            #[inline(always)]
            fn map($x: T, $y: T, _: ()) -> T {
                $result
            }
            #[inline(always)]
            fn fault(_: T, $y: T) -> bool {
                $fault
            }
        }
    )*};
}

faulting_maps! {
    FloorDiv(x, y) = x.floor_div(y), fault y == T::default();
    FloorMod(x, y) = x.floor_mod(y), fault y == T::default();
    TruncDiv(x, y) = x.trunc_div(y), fault y == T::default();
    TruncMod(x, y) = x.trunc_mod(y), fault y == T::default();
    Pow(x, y) = x.pow(y), fault y < T::default();
}

struct Copy<T>(PhantomData<T>);

impl<T: std::marker::Copy + Default> Map for Copy<T> {
    type A = T;
    type B = ();
    type C = ();
    type R = T;
    #[inline(always)]
    fn map(x: T, _: (), _: ()) -> T {
        x
    }
}

struct Select<T>(PhantomData<T>);

impl<T: std::marker::Copy + Default> Map for Select<T> {
    type A = u8;
    type B = T;
    type C = T;
    type R = T;
    #[inline(always)]
    fn map(condition: u8, yes: T, no: T) -> T {
        if condition != 0 { yes } else { no }
    }
}

struct Not;

impl Map for Not {
    type A = u8;
    type B = ();
    type C = ();
    type R = u8;
    #[inline(always)]
    fn map(x: u8, _: (), _: ()) -> u8 {
        x ^ 1
    }
}

/// What `as` gives, which is not vectorised: saturated, and zero for NaN.
macro_rules! saturated {
    ($x:ident: $from:ident as $to:ident) => {{
        let (low, high) = ($to::MIN as $from, $to::MAX as $from);
        let fits = low <= $x && $x < high;
        // SAFETY: the limits, and zero, are integers that fit, or `high` is one above the largest; between low and
        // high lies nothing that does not fit.
        let whole: $to = unsafe { (if fits { $x } else { 0.0 }).to_int_unchecked() };
        if $x >= high {
            $to::MAX
        } else if $x < low {
            $to::MIN
        } else {
            whole
        }
    }};
}

struct Cast<T, R>(PhantomData<(T, R)>);

macro_rules! casts {
    ($(|$x:ident: $from:ident| $to:ident = $result:expr;)*) => {$(
        impl Map for Cast<$from, $to> {
            type A = $from;
            type B = ();
            type C = ();
            type R = $to;
            #[inline(always)]
            fn map($x: $from, _: (), _: ()) -> $to {
                $result
            }
        }
    )*};
}
casts! {
    |x: f32| f64 = f64::from(x);
    |x: f32| i32 = saturated!(x: f32 as i32);
    |x: f32| i64 = saturated!(x: f32 as i64);
    |x: f32| u8 = saturated!(x: f32 as u8);
    |x: f64| f32 = x as f32;
    |x: f64| i32 = saturated!(x: f64 as i32);
    |x: f64| i64 = saturated!(x: f64 as i64);
    |x: f64| u8 = saturated!(x: f64 as u8);
    |x: i32| f32 = x as f32;
    |x: i32| f64 = f64::from(x);
    |x: i32| i64 = i64::from(x);
    |x: i32| u8 = x as u8;
    |x: i64| f32 = x as f32;
    |x: i64| f64 = x as f64;
    |x: i64| i32 = x as i32;
    |x: i64| u8 = x as u8;
    |x: u8| f32 = f32::from(x);
    |x: u8| f64 = f64::from(x);
    |x: u8| i32 = i32::from(x);
    |x: u8| i64 = i64::from(x);
}

/// The loop of a function for a type out of a list; `None` if it is not in it.
macro_rules! for_type {
    (floats $dtype:expr, $choose:ident::<$map:ident>($($isa:ident)?)) => {
        match $dtype {
            DType::F32 => Some($choose::<$map<f32>>($($isa)?)),
            DType::F64 => Some($choose::<$map<f64>>($($isa)?)),
            _ => None,
        }
    };
    (integers $dtype:expr, $choose:ident::<$map:ident>($($isa:ident)?)) => {
        match $dtype {
            DType::I32 => Some($choose::<$map<i32>>($($isa)?)),
            DType::I64 => Some($choose::<$map<i64>>($($isa)?)),
            DType::U8 => Some($choose::<$map<u8>>($($isa)?)),
            _ => None,
        }
    };
    (numbers $dtype:expr, compiled::<$map:ident>($isa:ident)) => {
        for_type!(floats $dtype, compiled::<$map>($isa)).or(for_type!(integers $dtype, compiled::<$map>($isa)))
    };
    (division $dtype:expr, $float:ident, $integer:ident) => {
        for_type!(floats $dtype, scalar::<$float>()).or(for_type!(integers $dtype, scalar::<$integer>()))
    };
}

fn unary(op: UnaryOp, dtype: DType, isa: Isa) -> Option<TileFn> {
    match op {
        UnaryOp::Neg => for_type!(numbers dtype, compiled::<Neg>(isa)),
        UnaryOp::Abs => for_type!(numbers dtype, compiled::<Abs>(isa)),
        UnaryOp::Sqrt => for_type!(floats dtype, compiled::<Sqrt>(isa)),
        UnaryOp::Floor => for_type!(floats dtype, compiled::<Floor>(isa)),
        UnaryOp::Ceil => for_type!(floats dtype, compiled::<Ceil>(isa)),
        UnaryOp::Round => for_type!(floats dtype, compiled::<Round>(isa)),
        UnaryOp::Trunc => for_type!(floats dtype, compiled::<Trunc>(isa)),
        UnaryOp::Not => (dtype == DType::Bool).then(|| compiled::<Not>(isa)),
        _ => function::unary(op, dtype, isa),
    }
}

fn binary(op: BinaryOp, dtype: DType, isa: Isa) -> Option<TileFn> {
    if dtype == DType::Bool {
        return logical(op, isa);
    }
    match op {
        BinaryOp::Add => for_type!(numbers dtype, compiled::<Add>(isa)),
        BinaryOp::Sub => for_type!(numbers dtype, compiled::<Sub>(isa)),
        BinaryOp::Mul => for_type!(numbers dtype, compiled::<Mul>(isa)),
        BinaryOp::Div => for_type!(floats dtype, compiled::<Div>(isa)),
        BinaryOp::FloorDiv => for_type!(division dtype, FloatFloorDiv, FloorDiv),
        BinaryOp::FloorMod => for_type!(division dtype, FloatFloorMod, FloorMod),
        BinaryOp::TruncDiv => for_type!(division dtype, FloatTruncDiv, TruncDiv),
        BinaryOp::TruncMod => for_type!(division dtype, FloatTruncMod, TruncMod),
        BinaryOp::Max => for_type!(numbers dtype, compiled::<Max>(isa)),
        BinaryOp::Min => for_type!(numbers dtype, compiled::<Min>(isa)),
        BinaryOp::Pow => {
            function::binary(op, dtype, isa).or(for_type!(integers dtype, scalar::<Pow>()))
        }
        BinaryOp::Atan2 => function::binary(op, dtype, isa),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => None,
    }
}

/// On `bool`, the larger is the or and the smaller the and.
fn logical(op: BinaryOp, isa: Isa) -> Option<TileFn> {
    match op {
        BinaryOp::And | BinaryOp::Min => Some(compiled::<Min<u8>>(isa)),
        BinaryOp::Or | BinaryOp::Max => Some(compiled::<Max<u8>>(isa)),
        BinaryOp::Xor => Some(compiled::<Ne<u8>>(isa)),
        _ => None,
    }
}

/// The loop of a comparison that is [`ordered`].
fn compare(op: CompareOp, dtype: DType, isa: Isa) -> Option<TileFn> {
    let dtype = stored(dtype);
    match op {
        CompareOp::Lt => for_type!(numbers dtype, compiled::<Lt>(isa)),
        CompareOp::Le => for_type!(numbers dtype, compiled::<Le>(isa)),
        CompareOp::Eq => for_type!(numbers dtype, compiled::<Eq>(isa)),
        CompareOp::Ne => for_type!(numbers dtype, compiled::<Ne>(isa)),
        CompareOp::Gt | CompareOp::Ge => None,
    }
}

fn select(dtype: DType, isa: Isa) -> TileFn {
    match dtype.size() {
        1 => compiled::<Select<u8>>(isa),
        4 => compiled::<Select<u32>>(isa),
        _ => compiled::<Select<u64>>(isa),
    }
}

fn cast(from: DType, to: DType, isa: Isa) -> Option<TileFn> {
    macro_rules! choose {
        ($from:ident to $($dtype:ident $to:ident),*) => {
            match to {
                $(DType::$dtype => Some(compiled::<Cast<$from, $to>>(isa)),)*
                DType::Bool => Some(compiled::<Truth<$from>>(isa)),
                _ => None,
            }
        };
    }
    if stored(from) == to || from == to {
        return Some(copy(to, isa));
    }
    match from {
        DType::F32 => choose!(f32 to F64 f64, I32 i32, I64 i64, U8 u8),
        DType::F64 => choose!(f64 to F32 f32, I32 i32, I64 i64, U8 u8),
        DType::I32 => choose!(i32 to F32 f32, F64 f64, I64 i64, U8 u8),
        DType::I64 => choose!(i64 to F32 f32, F64 f64, I32 i32, U8 u8),
        DType::U8 | DType::Bool => choose!(u8 to F32 f32, F64 f64, I32 i32, I64 i64),
    }
}

/// The type with which a loop computes on elements: `bool` is the `u8` that it is in memory.
fn stored(dtype: DType) -> DType {
    if dtype == DType::Bool { DType::U8 } else { dtype }
}
