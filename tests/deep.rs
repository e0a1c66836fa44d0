//! Graphs that are long: nothing recurses over them, and time grows with their length.

use graphfn::prelude::*;

const LENGTH: usize = 100_000;

#[test]
fn a_hundred_thousand_adds_trace_run_print_and_drop_on_a_small_stack() {
    #[graph_fn]
    fn chain(x: &Tensor) -> Tensor {
        let mut x = x.clone();
        for _ in 0..LENGTH {
            x += 1.0;
        }
        x
    }
    let small = std::thread::Builder::new().stack_size(2 << 20);
    let run = small.spawn(|| {
        for start in [0.0, 1.0, 2.0] {
            assert_eq!(
                chain(&Tensor::from(start as f32)).item::<f32>(),
                start as f32 + LENGTH as f32
            );
        }
        let concrete = chain::concrete_function(&Tensor::from(0.0f32)).expect("it is traced");
        assert_eq!(concrete.graph().to_string().lines().count(), LENGTH + 5);
        assert!(concrete.explain().expect("it is planned").contains("nodes"));
        drop(concrete);
        chain::clear_cache();
    });
    run.expect("a thread can be made").join().expect("it ran");
}

/// Each step multiplies the slope by 1.0: it stays 1, and the graph has a node for each step back.
#[test]
fn a_hundred_thousand_nodes_have_a_gradient_on_a_small_stack() {
    #[graph_fn]
    fn slope(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        for _ in 0..LENGTH {
            y = &y + 1.0;
        }
        gradients(&y, x).expect("there is a path")
    }
    let run = std::thread::Builder::new().stack_size(2 << 20).spawn(|| {
        let tape = GradientTape::new();
        let x = Tensor::from(0.0f32);
        tape.watch(&x);
        let mut y = x.clone();
        for _ in 0..LENGTH {
            y = y.sin();
        }
        assert_eq!(tape.gradient(&y, &x).expect("there is a path").item::<f32>(), 1.0);
        assert_eq!(slope(&x).item::<f32>(), 1.0);
    });
    run.expect("a thread can be made").join().expect("it ran");
}

#[test]
fn a14_five_hundred_steps_have_the_same_value_at_each_call() {
    #[graph_fn]
    fn steps(x: &Tensor) -> Tensor {
        let mut x = x.clone();
        for _ in 0..500 {
            x = x.sin() * 1.01;
        }
        x
    }
    for _ in 0..3 {
        let value: f32 = steps(&Tensor::from(0.5f32)).item();
        assert!((value - 0.244_100_56).abs() < 1e-4 * 0.2441, "{value}");
    }
}
