//! Ops that move elements: what NumPy gives, at once and traced, of views and of sizes that vary; and what is refused.

use graphfn::prelude::*;

/// Checks a function of one tensor: at once, traced, and traced once more; of an input as it is, and of a view.
fn check(f: impl Fn(&Tensor) -> Tensor, x: &Tensor, shape: &[usize], wanted: &[i32]) {
    let traced = graph_fn(&f);
    let axes: Vec<usize> = (0..x.rank()).rev().collect();
    let view = x.transpose(&axes[..]).reshape(-1).reshape(x.transpose(()).shape()).transpose(());
    for x in [x, &view] {
        for found in [f(x), traced.call(x), traced.call(x)] {
            assert_eq!(
                (found.shape(), found.to_vec::<i32>()),
                (&Shape::from(shape), wanted.to_vec())
            );
        }
    }
}

fn counted(sizes: &[usize]) -> Tensor {
    let len: usize = sizes.iter().product();
    Tensor::from((0..len).map(|at| at as i32).collect::<Vec<i32>>()).reshape(sizes)
}

fn message(f: impl Fn() -> Tensor) -> String {
    attempt(f).unwrap_err().message().to_string()
}

// The numbers of these tests are NumPy's (2.4), of `numpy.arange(24).reshape(2, 3, 4)` and `numpy.arange(1, 7).reshape(2, 3)`.

fn small() -> Tensor {
    counted(&[2, 3]) + 1
}

#[test]
fn axes_change_places() {
    let x = counted(&[2, 3, 4]);
    let turned =
        [0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23];
    check(|x| x.transpose([2, 0, 1]), &x, &[4, 2, 3], &turned);
    check(|x| x.transpose([-1, 0, -2]), &x, &[4, 2, 3], &turned);
    let each =
        [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23];
    check(|x| x.t(), &x, &[2, 4, 3], &each);
    check(|x| x.transpose(()), &small(), &[3, 2], &[1, 4, 2, 5, 3, 6]);
    check(|x| x.t().reshape([2, 3]), &small(), &[2, 3], &[1, 4, 2, 5, 3, 6]);
}

#[test]
fn axes_of_one_element_come_and_go() {
    let x = small();
    let all = [1, 2, 3, 4, 5, 6];
    check(|x| x.expand_dims(1), &x, &[2, 1, 3], &all);
    check(|x| x.expand_dims([0, -1]), &x, &[1, 2, 3, 1], &all);
    check(|x| x.expand_dims([0, -1]).squeeze(()), &x, &[2, 3], &all);
    check(|x| x.expand_dims([0, -1]).squeeze(-1), &x, &[1, 2, 3], &all);
    check(|x| x.reshape([3, -1]), &x, &[3, 2], &all);
    check(|x| x.slice((0, 0)).expand_dims(0).broadcast_to([2, 2]), &x, &[2, 2], &[1; 4]);
}

#[test]
fn parts_are_what_numpy_takes() {
    let x = counted(&[2, 3, 4]);
    check(
        |x| x.slice((1, Slice::new(None, None, -1), 1..3)),
        &x,
        &[3, 2],
        &[21, 22, 17, 18, 13, 14],
    );
    check(|x| x.slice((.., -1, Slice::new(None, None, 2))), &x, &[2, 2], &[8, 10, 20, 22]);
    let back = [3, 1, 7, 5, 11, 9, 15, 13, 19, 17, 23, 21];
    check(|x| x.slice_axis(-1, Slice::new(Some(3), Some(0), -2)), &x, &[2, 3, 2], &back);
    check(|x| x.slice((0, 5..)), &x, &[0, 4], &[]);
    check(|x| x.at(-1).at(0), &x, &[4], &[12, 13, 14, 15]);
    check(|x| x.index(2, 1), &x, &[2, 3], &[1, 5, 9, 13, 17, 21]);
    check(|x| x.slice([0..1, 1..2]), &x, &[1, 1, 4], &[4, 5, 6, 7]);
    check(|x| x.slice((..=0, -2..=-1, ..-3)), &x, &[1, 2, 1], &[4, 8]);
}

#[test]
fn tensors_are_joined_and_parted() {
    let x = small();
    check(
        |x| stack(&[x, &(x * 10)], 1),
        &x,
        &[2, 2, 3],
        &[1, 2, 3, 10, 20, 30, 4, 5, 6, 40, 50, 60],
    );
    check(|x| stack(&[x.at(0), x.at(1)], -1), &x, &[3, 2], &[1, 4, 2, 5, 3, 6]);
    let wider = [1, 2, 3, 10, 4, 5, 6, 40];
    check(|x| concat(&[x, &(x.slice((.., ..1)) * 10)], -1), &x, &[2, 4], &wider);
    check(|x| x.split(3, 1)[1].clone(), &x, &[2, 1], &[2, 5]);
    check(|x| x.split_sizes(&[1, 0, 2], 1)[2].clone(), &x, &[2, 2], &[2, 3, 5, 6]);
    check(|x| x.unstack(1)[2].clone(), &x, &[2], &[3, 6]);
    check(|x| concat(&x.split(2, 0), 1), &x, &[1, 6], &[1, 2, 3, 4, 5, 6]);
}

#[test]
fn borders() {
    let x = small();
    let mirrored = [6, 5, 4, 5, 6, 3, 2, 1, 2, 3, 6, 5, 4, 5, 6, 3, 2, 1, 2, 3];
    check(|x| x.pad(&[(1, 1), (2, 0)], Border::Reflect), &x, &[4, 5], &mirrored);
    let edged = [1, 1, 2, 3, 3, 3, 4, 4, 5, 6, 6, 6, 4, 4, 5, 6, 6, 6];
    check(|x| x.pad(&[(0, 1), (1, 2)], Border::Edge), &x, &[3, 6], &edged);
    check(|x| x.pad(&[(1, 0), (0, 1)], 9), &x, &[3, 4], &[9, 9, 9, 9, 1, 2, 3, 9, 4, 5, 6, 9]);
}

#[test]
fn elements_are_repeated_and_moved_round() {
    let x = small();
    let tiled = [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6];
    check(|x| x.tile(&[2, 2]), &x, &[4, 6], &tiled);
    check(|x| x.repeat(2, 0), &x, &[4, 3], &[1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6]);
    check(|x| x.repeat(2, -1), &x, &[2, 6], &[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
    check(|x| x.roll(2, 1), &x, &[2, 3], &[2, 3, 1, 5, 6, 4]);
    check(|x| x.roll(-4, 1), &x, &[2, 3], &[2, 3, 1, 5, 6, 4]);
    check(|x| x.roll(0, 0), &x, &[2, 3], &[1, 2, 3, 4, 5, 6]);
    let flipped =
        [15, 14, 13, 12, 19, 18, 17, 16, 23, 22, 21, 20, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8];
    check(|x| x.flip([0, 2]), &counted(&[2, 3, 4]), &[2, 3, 4], &flipped);
}

#[test]
fn views_share_the_bytes() {
    let x = counted(&[2, 3, 4]);
    let at = x.value().buffer().as_ptr();
    let views = [
        x.t(),
        x.flip(()),
        x.slice((1, ..2)),
        x.expand_dims(1),
        x.reshape([4, 6]),
        x.broadcast_to([5, 2, 3, 4]),
        x.split(3, 1)[2].clone(),
    ];
    assert!(views.iter().all(|view| view.value().buffer().as_ptr() == at));
}

#[graph_fn(signature(x: f32[n, 4]))]
fn shapes(x: &Tensor) -> (Tensor, Tensor, Tensor, Tensor) {
    let halves = x.reshape([-1, 2]).reshape(x.shape()).slice((Slice::between(1, -1), ..2));
    let twice = concat(&[x, &x.flip(0)], 0).tile(&[1, 2]);
    (halves, twice.split(2, 1)[1].clone(), x.size_of(0), x.shape_of())
}

#[test]
fn sizes_that_vary_keep_one_trace() {
    for n in 2..6u8 {
        let x = Tensor::from((0..n * 4).map(f32::from).collect::<Vec<f32>>()).reshape([-1, 4]);
        let (halves, twice, size, shape) = shapes(&x);
        let n = usize::from(n);
        assert_eq!(*halves.shape(), Shape::from([n - 2, 2]));
        assert_eq!(halves.to_vec::<f32>(), x.slice((Slice::between(1, -1), ..2)).to_vec::<f32>());
        assert_eq!(twice.to_vec::<f32>(), concat(&[&x, &x.flip(0)], 0).to_vec::<f32>());
        assert_eq!((size.item::<i64>(), shape.to_vec::<i64>()), (n as i64, vec![n as i64, 4]));
    }
    assert_eq!(shapes::trace_count(), 1);
}

#[graph_fn(signature(x: f32[n]))]
fn ends(x: &Tensor) -> (Tensor, Tensor) {
    (x.slice(..3), x.at(-1))
}

#[test]
fn too_few_elements_are_found_at_the_call_where_sizes_vary() {
    let (first, last) = ends(&Tensor::from([1.0f32, 2.0, 3.0, 4.0]));
    assert_eq!((first.to_vec::<f32>(), last.item::<f32>()), (vec![1.0, 2.0, 3.0], 4.0));
    let error = ends::try_call(&Tensor::from([1.0f32, 2.0])).unwrap_err();
    assert_eq!(
        error.message(),
        "`slice` needs of axis 0 of size 2 as many elements as the trace took for granted, found `..3`"
    );
    assert_eq!(ends::trace_count(), 1);
}

#[graph_fn(signature(x: f32[n], y: f32[m]))]
fn unlike(x: &Tensor, y: &Tensor) -> Tensor {
    stack(&[x, y], 0)
}

#[test]
fn what_is_refused_names_shapes_and_the_way_out() {
    let x = counted(&[2, 3]);
    assert_eq!(
        message(|| x.reshape([4, 2])),
        "`reshape` needs as many elements as before, found [2, 3] and [4, 2]: 6 and 8 elements"
    );
    assert_eq!(message(|| x.transpose(0)), "`transpose` needs each of 2 axes once, found [0]");
    assert_eq!(message(|| x.at(0).t()), "`t` needs at least two axes, found i32[3]");
    assert_eq!(message(|| x.squeeze(0)), "`squeeze` needs axes of size 1, found axis 0 of [2, 3]");
    assert_eq!(
        message(|| x.expand_dims(())),
        "`expand_dims` needs the places of the new axes, found `()`"
    );
    assert_eq!(
        message(|| x.expand_dims(3)),
        "`expand_dims` needs an axis of a tensor of rank 3, one from -3 to 2, found 3"
    );
    assert_eq!(
        message(|| x.broadcast_to([3, 2])),
        "`broadcast_to` cannot broadcast shapes [2, 3] and [3, 2]"
    );
    assert_eq!(
        message(|| x.broadcast_to([3])),
        "`broadcast_to` cannot broadcast shapes [2, 3] and [3]"
    );
    assert_eq!(
        message(|| x.slice((0, 0, 0))),
        "`slice` needs a slice for each axis at most, found 3 and [2, 3]"
    );
    assert_eq!(
        message(|| x.at(2)),
        "`slice` needs of axis 0 of size 2 an index from -2 to 1, found 2"
    );
    assert_eq!(
        message(|| x.index(2, 0)),
        "`slice` needs an axis of a tensor of rank 2, one from -2 to 1, found 2"
    );
    assert_eq!(
        message(|| concat::<Tensor>(&[], 0)),
        "`concat` needs at least one tensor, found none"
    );
    assert_eq!(
        message(|| concat(&[&x, &x.t()], 0)),
        "`concat` needs equal sizes but along axis 0, found [2, 3] and [3, 2]"
    );
    assert_eq!(
        message(|| concat(&[&x, &x.cast(DType::F32)], 0)),
        "`concat` needs one element type, found i32[2, 3] and f32[2, 3]"
    );
    assert_eq!(
        message(|| stack(&[&x, &x.t()], 0)),
        "`stack` needs equal shapes, found [2, 3] and [3, 2]"
    );
    assert_eq!(
        message(|| x.split(2, 1)[0].clone()),
        "`split` needs a number of parts that divides the size, found 2 parts of axis 1 of [2, 3]"
    );
    assert_eq!(
        message(|| x.split_sizes(&[1, 1], 1)[0].clone()),
        "`split_sizes` needs sizes that add up to that of axis 1 of [2, 3], found [1, 1]"
    );
    assert_eq!(
        message(|| x.pad(&[(1, 1)], 0)),
        "`pad` needs a pair of widths for each axis, found 1 and [2, 3]"
    );
    assert_eq!(
        message(|| x.pad(&[(0, 0), (3, 0)], Border::Reflect)),
        "`pad` with reflect needs borders narrower than the axis, found a border of 3 at axis 1 of 3 elements"
    );
    assert_eq!(
        message(|| x.pad(&[(0, 0), (1, 0)], 0.5)),
        "the number 0.5 stands beside a tensor of int32, which does not hold it"
    );
    assert_eq!(
        message(|| x.tile(&[2])),
        "`tile` needs a number for each axis, found [2] and [2, 3]"
    );
    let (a, b) = (Tensor::from([1.0f32]), Tensor::from([1.0f32]));
    let error = unlike::try_call(&a, &b).unwrap_err();
    assert_eq!(error.message(), "`stack` needs equal shapes, found [n] and [m]");
    assert_eq!(error.function(), Some("unlike"));
}

#[graph_fn(signature(x: f32[n, 2]))]
fn rows(x: &Tensor) -> Tensor {
    x.unstack(0)[0].clone()
}

#[test]
fn the_rows_of_an_unknown_number_are_refused() {
    let error = rows::try_call(&Tensor::from([[1.0f32, 2.0]])).unwrap_err();
    assert_eq!(
        error.message(),
        "`unstack` needs to know the size of axis 0 while tracing, found [n, 2]"
    );
}
