use shoal_algorithms::stream::delay_free::Draws;

/// Walks through every sequence of choices that a piece of code can make, like an odometer.
#[derive(Default)]
pub(crate) struct EveryChoice {
    /// What is chosen, and below which bound.
    wheels: Vec<(u64, u64)>,
    next: usize,
}

/// All choices with up to nine possibilities divide this; a few of them in a row divide its powers.
const WHOLE: u64 = 2_520;

impl EveryChoice {
    /// Runs `code` once for each sequence of choices.
    pub(crate) fn walk(mut code: impl FnMut(&mut Self)) {
        let mut choices = EveryChoice::default();
        loop {
            choices.next = 0;
            code(&mut choices);
            assert_eq!(choices.next, choices.wheels.len(), "the code chooses the same way again");
            while choices.wheels.last().is_some_and(|(chosen, bound)| chosen + 1 == *bound) {
                choices.wheels.pop();
            }
            match choices.wheels.last_mut() {
                Some((chosen, _)) => *chosen += 1,
                None => return,
            }
        }
    }

    /// The probability of the choices so far, times `WHOLE` to the power of `steps`: a whole number.
    pub(crate) fn weight(&self, steps: usize) -> u128 {
        let whole = u128::from(WHOLE).pow(steps as u32);
        let all: u128 = self.wheels[..self.next].iter().map(|(_, bound)| u128::from(*bound)).product();
        assert_eq!(whole % all, 0, "{:?}", self.wheels);
        whole / all
    }
}

impl Draws for EveryChoice {
    fn below(&mut self, bound: u64) -> u64 {
        if self.next == self.wheels.len() {
            self.wheels.push((0, bound));
        }
        let (chosen, known) = self.wheels[self.next];
        assert_eq!(known, bound);
        self.next += 1;
        chosen
    }
}

#[test]
fn every_choice_comes_once_and_the_weights_are_those_of_a_whole() {
    let (mut seen, mut sum) = (Vec::new(), 0);
    EveryChoice::walk(|choices| {
        let first = choices.below(3);
        seen.push((first, choices.below(first + 1)));
        sum += choices.weight(2);
    });
    assert_eq!(seen, [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]);
    assert_eq!(sum, u128::from(WHOLE).pow(2));
}
