//! How values and variables print: ndarray's layout for users, TensorFlow's for inspection. Knows no symbolic tensor.

use super::{Value, Variable};
use crate::types::{DType, Element};
use ndarray::{ArrayViewD, Axis};
use std::fmt::{self, Debug, Display, Formatter, LowerExp};

/// A value of more elements than this prints only the edges of its long axes, as NumPy does.
const MANY: usize = 1000;
/// How many entries of a long axis print at each end.
const EDGE: usize = 3;

/// A variable under the path that a model gives it, for printing.
#[derive(Clone, Copy)]
pub struct Described<'a> {
    /// Where the variable stands in its model.
    pub path: &'a str,
    /// The variable.
    pub variable: &'a Variable,
}

/// Does something with a value's view, whatever its element type is.
macro_rules! with_view {
    ($value:expr, |$view:ident| $body:expr, bool => $bools:expr) => {
        match $value.dtype() {
            DType::F32 => with_view!(@typed f32, $value, $view, $body),
            DType::F64 => with_view!(@typed f64, $value, $view, $body),
            DType::I32 => with_view!(@typed i32, $value, $view, $body),
            DType::I64 => with_view!(@typed i64, $value, $view, $body),
            DType::U8 => with_view!(@typed u8, $value, $view, $body),
            DType::Bool => with_view!(@typed bool, $value, $view, $bools),
        }
    };
    (@typed $type:ty, $value:expr, $view:ident, $body:expr) => {{
        let $view = $value.view_array::<$type>().expect("the type is the value's own");
        $body
    }};
}

/// As ndarray prints: format parameters such as `{:.3}` apply to each element, and a scalar is bare.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        with_view!(self, |view| Display::fmt(&view, f), bool => Display::fmt(&view, f))
    }
}

/// As ndarray prints in scientific notation; `bool` has none and prints as it is.
impl LowerExp for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        with_view!(self, |view| LowerExp::fmt(&view, f), bool => Display::fmt(&view, f))
    }
}

/// As TensorFlow prints, on one line: `Tensor([1.0, 2.0], shape=(2,), dtype=float32)`.
impl Debug for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Tensor(")?;
        elements(self, f)?;
        write!(f, ", shape={}, dtype={})", self.spec().shape(), self.dtype())
    }
}

/// Its value, as values print.
impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.load() {
            Ok(value) => Display::fmt(&value, f),
            Err(_) => f.write_str("<no value>"),
        }
    }
}

/// As TensorFlow prints: `<Variable 'a:0' shape=() dtype=float32>`; `{:#?}` adds `value=`.
impl Debug for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Described { path: self.name(), variable: self }.fmt(f)
    }
}

impl Debug for Described<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "<Variable '{}:0'", self.path)?;
        match self.variable.spec() {
            Some(spec) => write!(f, " shape={} dtype={}", spec.shape(), spec.dtype())?,
            None => f.write_str(" unbuilt")?,
        }
        if f.alternate()
            && let Ok(value) = self.variable.load()
        {
            f.write_str(" value=")?;
            elements(&value, f)?;
        }
        f.write_str(">")
    }
}

/// The elements on one line, in Rust's list brackets.
fn elements(value: &Value, f: &mut Formatter<'_>) -> fmt::Result {
    if value.is_empty() {
        let rank = value.spec().rank();
        return write!(f, "{}{}", "[".repeat(rank), "]".repeat(rank));
    }
    let edge = if value.len() > MANY { EDGE } else { value.len() };
    with_view!(value, |view| list(view, edge, f), bool => list(view, edge, f))
}

fn list<T: Element>(view: ArrayViewD<'_, T>, edge: usize, f: &mut Formatter<'_>) -> fmt::Result {
    let Some(length) = view.shape().first().copied() else {
        return Debug::fmt(view.first().expect("a scalar has one element"), f);
    };
    let elided = length > 2 * edge;
    let head = if elided { edge } else { length };
    f.write_str("[")?;
    for index in 0..head {
        f.write_str(if index > 0 { ", " } else { "" })?;
        list(view.index_axis(Axis(0), index), edge, f)?;
    }
    if elided {
        f.write_str(", ...")?;
        for index in length - edge..length {
            f.write_str(", ")?;
            list(view.index_axis(Axis(0), index), edge, f)?;
        }
    }
    f.write_str("]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Spec;
    use ndarray::{Array1, Array2, Array3, array};

    #[test]
    fn scalars_print_bare() {
        assert_eq!(
            format!("{} {} {}", Value::from(5), Value::from(10.0f32), Value::from(true)),
            "5 10 true"
        );
        assert_eq!(
            format!("{:.3} {:e}", Value::from(0.5f64), Value::from(1500.0f32)),
            "0.500 1.5e3"
        );
    }

    #[test]
    fn arrays_print_as_ndarray_prints_them() {
        let small = array![[1.0f32, -2.5], [f32::NAN, 4.0]];
        let large = Array3::from_shape_fn((7, 12, 13), |(i, j, k)| (i * j * k) as i64);
        assert_eq!(Value::from(&small).to_string(), small.to_string());
        assert_eq!(format!("{:8.3}", Value::from(&small)), format!("{small:8.3}"));
        assert_eq!(format!("{:.2e}", Value::from(&small)), format!("{small:.2e}"));
        assert_eq!(Value::from(large.view().reversed_axes()).to_string(), large.t().to_string());
        assert_eq!(format!("{:#}", Value::from(&large)), format!("{large:#}"));
        assert_eq!(Value::from([true, false]).to_string(), "[true, false]");
        assert_eq!(format!("{:e}", Value::from([true, false])), "[true, false]");
    }

    #[test]
    fn inspected_values_print_as_tensorflow_prints_them() {
        let check = |value: Value, print| assert_eq!(format!("{value:?}"), print);
        check(10.0f32.into(), "Tensor(10.0, shape=(), dtype=float32)");
        check(22.into(), "Tensor(22, shape=(), dtype=int32)");
        check([1.0f64].into(), "Tensor([1.0], shape=(1,), dtype=float64)");
        check(
            [[1.0f32, 2.0], [3.0, 4.0]].into(),
            "Tensor([[1.0, 2.0], [3.0, 4.0]], shape=(2, 2), dtype=float32)",
        );
        check([[true], [false]].into(), "Tensor([[true], [false]], shape=(2, 1), dtype=bool)");
        check(Array2::<u8>::zeros((0, 2)).into(), "Tensor([[]], shape=(0, 2), dtype=uint8)");
        let turned = array![[1, 2], [3, 4]].reversed_axes();
        check(turned.into(), "Tensor([[1, 3], [2, 4]], shape=(2, 2), dtype=int32)");
    }

    #[test]
    fn long_values_show_their_edges_only() {
        let check = |value: Value, print| assert_eq!(format!("{value:?}"), print);
        check(
            Array1::from_iter(0..1001).into(),
            "Tensor([0, 1, 2, ..., 998, 999, 1000], shape=(1001,), dtype=int32)",
        );
        check(
            Array2::from_shape_fn((2, 600), |(i, j)| (1000 * i + j) as i64).into(),
            "Tensor([[0, 1, 2, ..., 597, 598, 599], [1000, 1001, 1002, ..., 1597, 1598, 1599]], \
             shape=(2, 600), dtype=int64)",
        );
        check(
            Array2::from_shape_fn((7, 200), |(i, j)| (i * j) as u8)
                .slice_move(ndarray::s![.., ..1])
                .into(),
            "Tensor([[0], [0], [0], [0], [0], [0], [0]], shape=(7, 1), dtype=uint8)",
        );
        let thousand = format!("{:?}", Value::from(Array1::<i32>::zeros(1000)));
        assert!(!thousand.contains("..."), "a thousand are shown in full");
    }

    #[test]
    fn six_entries_of_a_long_value_are_all_edge() {
        let print = format!("{:?}", Value::from(Array2::<i32>::zeros((6, 500))));
        assert_eq!(print.matches("[0, 0, 0, ..., 0, 0, 0]").count(), 6);
        assert_eq!(print.matches("...").count(), 6);
    }

    #[test]
    fn variables_print_their_value_or_what_they_are() {
        let v = Variable::from_value("a", Value::from(5.0f32));
        assert_eq!(format!("{v} {v:.2}"), "5 5.00");
        assert_eq!(format!("{v:?}"), "<Variable 'a:0' shape=() dtype=float32>");
        assert_eq!(format!("{v:#?}"), "<Variable 'a:0' shape=() dtype=float32 value=5.0>");
    }

    #[test]
    fn lists_of_variables_print_on_one_line() {
        let variables = [("dense1/weight", vec![32, 10]), ("dense1/bias", vec![10])]
            .map(|(name, shape)| Variable::uninitialised(name, Spec::new(DType::F32, shape)));
        assert_eq!(
            format!("{variables:?}"),
            "[<Variable 'dense1/weight:0' shape=(32, 10) dtype=float32>, \
             <Variable 'dense1/bias:0' shape=(10,) dtype=float32>]"
        );
    }

    #[test]
    fn a_variable_without_a_value_prints_too() {
        let v = Variable::unbuilt("w");
        assert_eq!(format!("{v}"), "<no value>");
        assert_eq!(format!("{v:#?}"), "<Variable 'w:0' unbuilt>");
        let v = Variable::uninitialised("w", Spec::scalar(DType::Bool));
        assert_eq!(format!("{v:#?}"), "<Variable 'w:0' shape=() dtype=bool>");
    }
}
