//! Random numbers: fresh at each call, the same in each run of the program, eagerly and traced, for any threads.

use graphfn::prelude::*;
use graphfn::random::Generator;
use std::sync::{Mutex, PoisonError};

/// The default generator is one per process: tests that use it take turns.
static DEFAULT: Mutex<()> = Mutex::new(());

fn bits(x: &Tensor) -> Vec<u32> {
    x.to_vec::<f32>().into_iter().map(f32::to_bits).collect()
}

#[graph_fn]
fn noise(generator: &Generator, x: &Tensor) -> Tensor {
    x + generator.uniform::<f32>([4], -1.0, 1.0) + generator.normal::<f32>([4], 0.0, 1.0)
}

#[test]
fn a_traced_draw_is_fresh_at_each_call_and_has_the_bits_of_an_eager_one() {
    let (traced, eager) = (Generator::new(7), Generator::new(7));
    let x = Tensor::from([0.0f32; 4]);
    let ours: Vec<_> = (0..3).map(|_| bits(&noise(&traced, &x))).collect();
    let theirs: Vec<_> = (0..3).map(|_| bits(&graphfn::eager(|| noise(&eager, &x)))).collect();
    assert_eq!(ours, theirs);
    assert_eq!(noise::trace_count(), 1);
    assert!(ours[0] != ours[1] && ours[1] != ours[2]);
    assert_eq!(traced.state().read().to_vec::<i64>(), eager.state().read().to_vec::<i64>());
}

#[test]
fn two_draws_of_one_kind_are_two() {
    #[graph_fn]
    fn two(generator: &Generator) -> (Tensor, Tensor) {
        let draw = || generator.uniform::<f32>([4], 0.0, 1.0);
        (draw(), draw())
    }
    let (a, b) = two(&Generator::new(3));
    assert_ne!(bits(&a), bits(&b));
}

#[test]
fn a_draw_that_nobody_uses_still_moves_the_generator_on() {
    #[graph_fn]
    fn second(generator: &Generator) -> Tensor {
        generator.uniform::<f32>([4], 0.0, 1.0);
        generator.uniform::<f32>([4], 0.0, 1.0)
    }
    let eager = Generator::new(3);
    eager.uniform::<f32>([4], 0.0, 1.0);
    assert_eq!(bits(&second(&Generator::new(3))), bits(&eager.uniform::<f32>([4], 0.0, 1.0)));
}

#[test]
fn the_default_generator_begins_anew_with_a_seed() {
    let _turn = DEFAULT.lock().unwrap_or_else(PoisonError::into_inner);
    #[graph_fn]
    fn normal(x: &Tensor) -> Tensor {
        x + random::normal::<f32>([3], 0.0, 1.0)
    }
    let x = Tensor::from([0.0f32; 3]);
    random::set_seed(5);
    let first = [bits(&normal(&x)), bits(&random::truncated_normal::<f32>([3], 0.0, 1.0))];
    random::set_seed(5);
    let again = [bits(&normal(&x)), bits(&random::truncated_normal::<f32>([3], 0.0, 1.0))];
    assert_eq!(first, again);
    random::set_seed(6);
    assert_ne!(first[0], bits(&normal(&x)));
}

#[test]
fn stateless_draws_are_functions_of_their_seed() {
    let draw = |seed: i64| bits(&random::stateless_uniform::<f32>(seed, [5], 0.0, 1.0));
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
    #[graph_fn]
    fn traced(seed: &Tensor) -> Tensor {
        random::stateless_uniform::<f32>(seed, [5], 0.0, 1.0)
    }
    assert_eq!(bits(&traced(&Tensor::from(1i64))), draw(1));
    let further = random::stateless_uniform::<f32>(Tensor::from([1i64, 1]), [1], 0.0, 1.0);
    assert_eq!(bits(&further)[0], draw(1)[4], "a block of the counter is four f32");
    let normal = random::stateless_normal::<f64>(1, [1000], 2.0, 0.5).to_vec::<f64>();
    let mean = normal.iter().sum::<f64>() / 1000.0;
    assert!((mean - 2.0).abs() < 5.0 * 0.5 / 1000f64.sqrt(), "{mean}");
    let cut = random::stateless_truncated_normal::<f64>(1, [1000], 2.0, 0.5).to_vec::<f64>();
    assert!(cut.iter().all(|it| (it - 2.0).abs() <= 1.0));
}

#[test]
fn threads_never_draw_the_same_numbers() {
    let generator = Generator::new(11);
    let x = Tensor::from([0.0f32; 4]);
    let draws = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let (generator, x) = (&generator, &x);
                scope.spawn(move || {
                    let draw = |_| match thread % 2 {
                        0 => bits(&generator.uniform::<f32>([4], 0.0, 1.0)),
                        _ => bits(&fresh(generator, x)),
                    };
                    (0..200).map(draw).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|it| it.join().unwrap()).collect::<Vec<_>>()
    });
    let mut distinct = draws.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), draws.len());
    assert_eq!(generator.state().read().to_vec::<i64>(), [11, 800]);
}

#[graph_fn]
fn fresh(generator: &Generator, x: &Tensor) -> Tensor {
    x + generator.uniform::<f32>([4], 0.0, 1.0)
}

#[test]
fn what_makes_no_distribution_is_refused_where_it_is_asked_for() {
    let generator = Generator::new(0);
    let line = line!() + 1;
    let uniform = attempt(|| generator.uniform::<f32>([2], 1.0, 1.0)).unwrap_err();
    assert!(uniform.message().contains("need finite `low < high`"), "{uniform}");
    assert_eq!(uniform.place().map(|it| it.line), Some(line));
    let normal = attempt(|| generator.normal::<f32>([2], 0.0, -1.0)).unwrap_err();
    assert!(normal.message().contains("standard deviation"), "{normal}");
    let shape =
        attempt(|| random::stateless_uniform::<f32>(Tensor::from([1i64; 3]), [2], 0.0, 1.0));
    assert_eq!(
        shape.unwrap_err().message(),
        "`stateless_uniform` needs a seed of i64[] or i64[2], found i64[3]"
    );
    let float = attempt(|| random::stateless_uniform::<f32>(0.5, [2], 0.0, 1.0)).unwrap_err();
    assert_eq!(float.kind(), ErrorKind::Type);
    assert_eq!(generator.state().read().to_vec::<i64>(), [0, 0], "nothing was drawn");
}

#[test]
fn sizes_may_be_unknown_while_tracing() {
    #[graph_fn(signature(x: f32[?]))]
    fn jitter(generator: &Generator, x: &Tensor) -> Tensor {
        x + generator.uniform::<f32>(x.shape(), 0.0, 1.0)
    }
    for size in [3, 5] {
        let x = Tensor::zeros::<f32>([size]);
        let eager = Generator::new(2).uniform::<f32>([size], 0.0, 1.0);
        assert_eq!(bits(&jitter(&Generator::new(2), &x)), bits(&eager));
    }
    assert_eq!(jitter::trace_count(), 1);
}

#[test]
fn a_weight_has_the_numbers_of_its_name_and_the_seed() {
    let _turn = DEFAULT.lock().unwrap_or_else(PoisonError::into_inner);
    #[derive(Tree)]
    struct Two {
        first: Dense,
        second: Dense,
    }
    #[derive(Tree)]
    struct Three {
        extra: Dense,
        first: Dense,
        second: Dense,
    }
    impl Two {
        #[graph_fn]
        fn call(&self, x: &Tensor) -> Tensor {
            self.second.call(&self.first.call(x))
        }
    }
    impl Three {
        #[graph_fn]
        fn call(&self, x: &Tensor) -> Tensor {
            self.second.call(&self.first.call(&self.extra.call(x)))
        }
    }
    let x = Tensor::ones::<f32>([1, 4]);
    let weights = |seed: i64| {
        random::set_seed(seed);
        let two = Two { first: Dense::new(4), second: Dense::new(4) };
        two.call(&x);
        [two.first, two.second].map(|layer| bits(&layer.weight.read()))
    };
    let [first, second] = weights(1);
    assert_ne!(first, second, "other names have other numbers");
    assert_eq!(weights(1), [first.clone(), second.clone()]);
    assert_ne!(weights(2)[0], first, "another seed has other numbers");
    random::set_seed(1);
    let three = Three { extra: Dense::new(4), first: Dense::new(4), second: Dense::new(4) };
    graphfn::eager(|| three.call(&x));
    assert_eq!(bits(&three.first.weight.read()), first, "another layer before it changes nothing");
    assert_eq!(bits(&three.second.weight.read()), second);
}
