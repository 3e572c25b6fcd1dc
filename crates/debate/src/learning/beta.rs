//! The Beta distribution of a share: mean and quantiles, to about nine digits.
//! Counts that are too small are raised to the smallest usable one.

const LEAST: f64 = 1e-9;
const STEPS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beta {
    a: f64,
    b: f64,
}

impl Beta {
    pub fn new(a: f64, b: f64) -> Beta {
        Beta { a: a.max(LEAST), b: b.max(LEAST) }
    }

    /// Returns the distribution after `counts` outcomes of which the share `mean`
    /// was good.
    pub fn centred(mean: f64, counts: f64) -> Beta {
        Beta::new(mean * counts, (1.0 - mean) * counts)
    }

    pub fn with(self, good: f64, bad: f64) -> Beta {
        Beta::new(self.a + good, self.b + bad)
    }

    pub fn mean(self) -> f64 {
        self.a / (self.a + self.b)
    }

    /// Returns the value that the share stays below with probability `p`:
    /// Newton's steps from the mean, kept inside a bracket that halves where they
    /// leave it.
    pub fn quantile(self, p: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        let mut x = self.mean();
        let norm = ln_gamma(self.a + self.b) - ln_gamma(self.a) - ln_gamma(self.b);
        for _ in 0..STEPS {
            let miss = self.below(x, norm) - p;
            if miss > 0.0 {
                high = x;
            } else {
                low = x;
            }
            let density = (norm + (self.a - 1.0) * x.ln() + (self.b - 1.0) * (1.0 - x).ln()).exp();
            let step = x - miss / density;
            let next = if step > low && step < high { step } else { (low + high) / 2.0 };
            if (next - x).abs() < 1e-12 || high - low < 1e-12 {
                return next;
            }
            x = next;
        }
        x
    }

    /// The regularised incomplete beta function.
    fn below(self, x: f64, norm: f64) -> f64 {
        if x <= 0.0 {
            return 0.0;
        }
        if x >= 1.0 {
            return 1.0;
        }
        let front = (norm + self.a * x.ln() + self.b * (1.0 - x).ln()).exp();
        // The fraction converges fast on this side of the mean only.
        if x < (self.a + 1.0) / (self.a + self.b + 2.0) {
            front * fraction(self.a, self.b, x) / self.a
        } else {
            1.0 - front * fraction(self.b, self.a, 1.0 - x) / self.b
        }
    }
}

/// Lentz's evaluation of the continued fraction of the incomplete beta function.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let away = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut found = d;
    for step in 1..=STEPS {
        let m = step as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        found *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        found *= d * c;
        if (d * c - 1.0).abs() < 1e-14 {
            break;
        }
    }
    found
}

/// Stirling's series, after shifting the argument to where it is exact enough.
fn ln_gamma(x: f64) -> f64 {
    let mut shift = 0.0;
    let mut z = x;
    while z < 10.0 {
        shift -= z.ln();
        z += 1.0;
    }
    let square = z * z;
    let series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z * square)
        + 1.0 / (1260.0 * z * square * square)
        - 1.0 / (1680.0 * z * square * square * square);
    shift + (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}
