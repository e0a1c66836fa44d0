//! Sums of products and diagonals: what NumPy gives, in every way of running it, and what is refused.
// The numbers are NumPy's (2.x, float64) of `a = numpy.arange(n) / 4 - 1` and `b = 2 - numpy.arange(n) / 2` in the sizes shown.

use crate::support::{holds, told};
use graphfn::{Tolerance, prelude::*};

fn counted(sizes: &[usize], first: f64, step: f64) -> Tensor {
    let len: usize = sizes.iter().product();
    Tensor::from((0..len).map(|at| first + step * at as f64).collect::<Vec<f64>>()).reshape(sizes)
}

fn a(sizes: &[usize]) -> Tensor {
    counted(sizes, -1.0, 0.25)
}

fn b(sizes: &[usize]) -> Tensor {
    counted(sizes, 2.0, -0.5)
}

#[track_caller]
fn check<const N: usize>(
    f: impl Fn(&[Tensor; N]) -> Tensor,
    inputs: [Tensor; N],
    sizes: &[usize],
    wanted: &[f64],
) {
    holds(f, inputs, Tensor::from(wanted.to_vec()).reshape(sizes), Tolerance::EXACT);
}

#[test]
fn letters_say_which_products_are_summed() {
    check(
        |[x, y]| einsum!("ij,jk->ik", x, y),
        [a(&[2, 3]), b(&[3, 2])],
        &[2, 2],
        &[-2.75, -1.625, -0.5, -0.5],
    );
    check(
        |[x, y]| einsum!("ij,jk", x, y),
        [a(&[2, 3]), b(&[3, 2])],
        &[2, 2],
        &[-2.75, -1.625, -0.5, -0.5],
    );
    check(
        |[x, y]| einsum!("bij,bjk->bik", x, y),
        [a(&[2, 2, 2]), b(&[2, 2, 1])],
        &[2, 2, 1],
        &[-3.125, -1.375, 0.125, 0.875],
    );
    check(
        |[x, y]| einsum!("abc,cbd->da", x, y),
        [a(&[2, 2, 2]), b(&[2, 2, 2])],
        &[2, 2],
        &[-2.25, -0.25, -1.0, -1.0],
    );
    check(
        |[x, y]| einsum!("i,j->ji", x, y),
        [a(&[2]), b(&[3])],
        &[3, 2],
        &[-2.0, -1.5, -1.5, -1.125, -1.0, -0.75],
    );
    check(|[x, y]| einsum!("ij,ij->", x, y), [a(&[2, 3]), b(&[2, 3])], &[], &[-3.875]);
    check(
        |[x, y, z]| einsum!("ij,kj,k->i", x, y, z),
        [a(&[2, 3]), b(&[2, 3]), a(&[2])],
        &[2],
        &[3.8125, 0.4375],
    );
    check(|[x, y, z]| einsum!("i,ij,j", x, y, z), [a(&[2]), b(&[2, 3]), a(&[3])], &[], &[3.8125]);
    check(|[x, y]| einsum!(",i->i", x, y), [a(&[]), b(&[3])], &[3], &[-2.0, -1.5, -1.0]);
    check(|[x]| einsum!("ba", x), [a(&[2, 3])], &[3, 2], &[-1.0, -0.25, -0.75, 0.0, -0.5, 0.25]);
    check(|[x]| einsum!("ijk->ik", x), [a(&[2, 2, 2])], &[2, 2], &[-1.5, -1.0, 0.5, 1.0]);
}

#[test]
fn a_letter_that_is_there_twice_is_a_diagonal() {
    check(|[x]| einsum!("ii->i", x), [a(&[3, 3])], &[3], &[-1.0, 0.0, 1.0]);
    check(|[x]| einsum!("ii", x), [a(&[3, 3])], &[], &[0.0]);
    check(|[x]| einsum!("iji->j", x), [a(&[2, 3, 2])], &[3], &[-0.25, 0.75, 1.75]);
    check(|[x]| einsum!("ijij->ji", x), [a(&[2, 2, 2, 2])], &[2, 2], &[-1.0, 1.5, 0.25, 2.75]);
    check(
        |[x, y]| einsum!("ii,ij->j", x, y),
        [a(&[2, 2]), b(&[2, 3])],
        &[3],
        &[-2.125, -1.5, -0.875],
    );
}

#[test]
fn axes_without_a_letter_broadcast() {
    check(
        |[x, y]| einsum!("...ij,...jk->...ik", x, y),
        [a(&[2, 1, 1, 2]), b(&[3, 2, 1])],
        &[2, 3, 1, 1],
        &[-3.125, -1.375, 0.375, -1.375, -0.625, 0.125],
    );
    check(
        |[x, y]| einsum!("...i,i->...", x, y),
        [a(&[2, 2, 2]), b(&[2])],
        &[2, 2],
        &[-3.125, -1.375, 0.375, 2.125],
    );
    check(
        |[x]| einsum!("i...->...i", x),
        [a(&[2, 3])],
        &[3, 2],
        &[-1.0, -0.25, -0.75, 0.0, -0.5, 0.25],
    );
    check(
        |[x, y]| einsum!("...,...", x, y),
        [a(&[2, 1]), b(&[3])],
        &[2, 3],
        &[-2.0, -1.5, -1.0, -1.5, -1.125, -0.75],
    );
}

#[test]
fn pairs_of_axes_are_summed() {
    check(
        |[x, y]| x.tensordot(y, 1),
        [a(&[2, 3]), b(&[3, 2])],
        &[2, 2],
        &[-2.75, -1.625, -0.5, -0.5],
    );
    check(
        |[x, y]| x.tensordot(y, 2),
        [a(&[2, 2, 2]), b(&[2, 2, 2])],
        &[2, 2],
        &[-2.5, -1.25, -0.5, -1.25],
    );
    check(
        |[x, y]| x.tensordot(y, 0),
        [a(&[2]), b(&[3])],
        &[2, 3],
        &[-2.0, -1.5, -1.0, -1.5, -1.125, -0.75],
    );
    check(
        |[x, y]| x.tensordot(y, ([0, 2], [1, 0])),
        [a(&[2, 3, 2]), b(&[2, 2])],
        &[3],
        &[-1.625, 0.875, 3.375],
    );
    check(
        |[x, y]| x.tensordot(y, (1, -1)),
        [a(&[2, 3]), b(&[2, 3])],
        &[2, 2],
        &[-3.625, -0.25, -0.25, -0.25],
    );
}

#[test]
fn diagonals_are_taken_and_made() {
    check(|[x]| x.diag(), [a(&[3])], &[3, 3], &[-1.0, 0.0, 0.0, 0.0, -0.75, 0.0, 0.0, 0.0, -0.5]);
    check(
        |[x]| x.diag(),
        [a(&[2, 2])],
        &[2, 2, 2],
        &[-1.0, 0.0, 0.0, -0.75, -0.5, 0.0, 0.0, -0.25],
    );
    check(|[x]| x.diag_part(), [a(&[3, 2])], &[2], &[-1.0, -0.25]);
    check(|[x]| x.diag_part(), [a(&[2, 2, 4])], &[2, 2], &[-1.0, 0.25, 1.0, 2.25]);
    check(|[x]| x.trace(), [a(&[3, 3])], &[], &[0.0]);
    check(|[x]| x.trace(), [a(&[2, 3, 2])], &[2], &[-1.25, 1.75]);
}

#[test]
fn sizes_that_do_not_agree_are_named_with_their_letter_and_operands() {
    let shape = ErrorKind::Shape;
    let message = "`einsum` needs one size for `j`, found 3 in operand 0 and 2 in operand 1";
    told(|[x, y]| einsum!("ij,jk->ik", x, y), [a(&[2, 3]), b(&[2, 3])], shape, message);
    let message = "`einsum` needs one size for `i`, found 2 in operand 0 and 3 in operand 0";
    told(|[x]| einsum!("ii->i", x), [a(&[2, 3])], shape, message);
    let message = "`einsum` needs one size for `i`, found 1 in operand 0 and 3 in operand 1";
    told(|[x, y]| einsum!("i,i->i", x, y), [a(&[1]), b(&[3])], shape, message);
    let message = "`einsum` needs one size for `...`, found 2 in operand 0 and 3 in operand 1";
    told(|[x, y]| einsum!("...,...->...", x, y), [a(&[2]), b(&[3])], shape, message);
    let message = "`einsum` needs an axis for each letter of `ijk`, found 2 axes in operand 0";
    told(|[x]| einsum!("ijk->i", x), [a(&[2, 3])], shape, message);
    let message = "`einsum` needs an axis for each letter of `...ij`, found 1 axes in operand 1";
    told(|[x, y]| einsum!("i,...ij->...j", x, y), [a(&[2]), b(&[2])], shape, message);
}

#[test]
fn element_types_that_do_not_fit_are_refused() {
    let ints = || Tensor::from([1, 2]);
    let message = "`einsum` needs one element type, found f64[2] and i32[2]";
    told(|[x, y]| einsum!("i,i->", x, y), [a(&[2]), ints()], ErrorKind::Type, message);
    let message = "`einsum` takes float32, float64, int32, int64, found bool";
    told(|[x]| einsum!("i->", x), [Tensor::from([true])], ErrorKind::Type, message);
    let message = "`einsum` cannot tell the element type of a bare number";
    told(|[x]| einsum!(",i->i", 2.0, x), [a(&[2])], ErrorKind::Type, message);
    let message = "`tensordot` needs one element type, found f64[2] and i32[2]";
    told(|[x, y]| x.tensordot(y, 1), [a(&[2]), ints()], ErrorKind::Type, message);
}

#[test]
fn axes_that_do_not_go_together_are_refused() {
    let shape = ErrorKind::Shape;
    let message =
        "`tensordot` needs equal sizes along axes 1 and 0, found 3 and 2 in [2, 3] and [2, 3]";
    told(|[x, y]| x.tensordot(y, 1), [a(&[2, 3]), b(&[2, 3])], shape, message);
    let message = "`tensordot` needs 3 axes of each, found [2, 3] and [2, 3]";
    told(|[x, y]| x.tensordot(y, 3), [a(&[2, 3]), b(&[2, 3])], shape, message);
    let message = "`tensordot` needs as many axes of each, found [0] and [0, 1]";
    told(|[x, y]| x.tensordot(y, (0, [0, 1])), [a(&[2, 3]), b(&[2, 3])], ErrorKind::Index, message);
    told(|[x]| x.diag(), [a(&[])], shape, "`diag` needs a vector, found a scalar");
    told(|[x]| x.diag_part(), [a(&[3])], shape, "`diag_part` needs matrices, found [3]");
    told(|[x]| x.trace(), [a(&[3])], shape, "`trace` needs matrices, found [3]");
}

#[test]
fn variables_and_arrays_are_operands() {
    let v = Variable::new("v", [2.0f32, 3.0]);
    let x = ndarray::array![[1.0f32, 2.0], [3.0, 4.0]];
    assert_eq!(einsum!("ij,j->i", &x, &v).to_vec::<f32>(), [8.0, 18.0]);
    assert_eq!(einsum!("i,i->", v.read(), v).item::<f32>(), 13.0);
}

#[graph_fn(signature(x: f64[n, m, 2], y: f64[m, n, 2], w: f64[n, n]))]
fn varying(x: &Tensor, y: &Tensor, w: &Tensor) -> Tensor {
    let products = einsum!("nmk,mnl->kl", x, y) + x.tensordot(y, ([0, 1], [1, 0]));
    let squared = einsum!("nmk,nmk->nm", x, x).sum() + einsum!("nmk,oml->nokl", x, x).sum();
    products + squared + einsum!("nn->", w) + w.trace() + w.diag_part().diag().sum()
}

#[test]
fn sizes_that_vary_have_one_trace() {
    for n in [2, 3] {
        let (x, y, w) = (a(&[n, 4, 2]), b(&[4, n, 2]), a(&[n, n]));
        let wanted = graphfn::eager(|| varying(&x, &y, &w));
        assert_eq!(varying(&x, &y, &w).to_vec::<f64>(), wanted.to_vec::<f64>());
    }
    assert_eq!(varying::trace_count(), 1);
}
