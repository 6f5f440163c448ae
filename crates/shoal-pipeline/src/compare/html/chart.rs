//! Charts of points and lines as static SVG. Widths are percentages and heights pixels, without a `viewBox`: lines follow the width of the
//! window and letters keep their size. Each series has a mark of its own, so that nobody needs to tell colours apart.

use super::scale::Scale;
use crate::markup::{Html, html};

/// Of the whole picture and of what lies above and below the plot, in pixels.
const HEIGHT: f64 = 296.0;
const ABOVE: f64 = 30.0;
const BELOW: f64 = 44.0;
/// Where the plot begins and ends, in per cent of the width; the figures of the axis stand to the left of it.
const LEFT: f64 = 15.0;
const RIGHT: f64 = 96.0;
/// Labels of the lower axis nearer than this, as a share of the plot, would lie on each other in a narrow window.
const NEAR: f64 = 0.085;
const MARKS: [&str; 8] = ["●", "■", "▲", "◆", "▼", "✚", "✖", "★"];

/// Points that belong together, as places between 0 and 1.
pub(super) struct Series {
    /// What they are.
    pub label: String,
    /// Place to the right, place upwards, what the point says, whether it is marked by a ring.
    pub points: Vec<(f64, f64, String, bool)>,
    /// Whether a line joins them.
    pub joined: bool,
}

/// An axis: its name and what stands at which place.
pub(super) struct AxisLabels {
    pub name: String,
    pub ticks: Vec<(f64, String)>,
}

impl AxisLabels {
    /// The round figures of a scale in these words.
    pub(super) fn of(scale: &Scale, name: &str, words: impl Fn(f64) -> String) -> AxisLabels {
        let ticks = scale.ticks().into_iter().map(|figure| (scale.place(figure), words(figure))).collect();
        AxisLabels { name: name.to_owned(), ticks }
    }

    /// The values of a key, as many as find room.
    pub(super) fn of_values(scale: &Scale, name: &str, values: &[String]) -> AxisLabels {
        let mut ticks: Vec<(f64, String)> = Vec::new();
        // The ends first: they say how far the axis reaches.
        let ends = values.first().into_iter().chain(values.last());
        for value in ends.chain(values) {
            let Some(place) = scale.place_of(value) else { continue };
            if ticks.iter().all(|(other, _)| (other - place).abs() >= NEAR) {
                ticks.push((place, value.clone()));
            }
        }
        AxisLabels { name: name.to_owned(), ticks }
    }
}

/// A chart with its legend. `told` says in words what it shows, for whoever cannot see it.
pub(super) fn chart(
    title: &str,
    told: &str,
    across: &AxisLabels,
    up: &AxisLabels,
    series: &[Series],
) -> Html {
    let legend: Html = series
        .iter()
        .enumerate()
        .map(|(at, series)| {
            html!(
                "<span class=\"entry\"><span class=\"s{}\" aria-hidden=\"true\">{}</span> {}</span> ",
                at % MARKS.len(),
                MARKS[at % MARKS.len()],
                series.label
            )
        })
        .collect();
    let drawn: Html = series.iter().enumerate().map(|(at, series)| drawn(series, at % MARKS.len())).collect();
    html!(
        "<figure class=\"chart\"><figcaption>{}</figcaption><p class=\"legend\">{}</p><svg role=\"img\" aria-label=\"{}\" width=\"100%\" height=\"{}\">{}{}</svg></figure>\n",
        title,
        legend,
        told,
        HEIGHT as usize,
        axes(across, up),
        drawn
    )
}

/// The frame, the figures at it and a thin line for each.
fn axes(across: &AxisLabels, up: &AxisLabels) -> Html {
    let levels = up.ticks.iter().map(|(place, words)| {
        html!(
            "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/><text class=\"figure\" x=\"{}\" y=\"{}\">{}</text>",
            percent(LEFT), percent(RIGHT), y(*place), y(*place), percent(LEFT - 1.5), down(y_of(*place) + 4.0), words
        )
    });
    let places = across.ticks.iter().map(|(place, words)| {
        html!(
            "<line class=\"tick\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/><text class=\"place\" x=\"{}\" y=\"{}\">{}</text>",
            x(*place), x(*place), y(0.0), down(y_of(0.0) + 5.0), x(*place), down(y_of(0.0) + 18.0), words
        )
    });
    html!(
        "{}{}<text class=\"place\" x=\"{}\" y=\"{}\">{}</text><text class=\"axis\" x=\"0\" y=\"13\">{}</text>",
        levels.collect::<Html>(),
        places.collect::<Html>(),
        x(0.5),
        down(HEIGHT - 6.0),
        across.name,
        up.name
    )
}

fn drawn(series: &Series, number: usize) -> Html {
    let lines = series.points.windows(2).filter(|_| series.joined).map(|pair| {
        html!(
            "<line class=\"joins s{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            number,
            x(pair[0].0),
            y(pair[0].1),
            x(pair[1].0),
            y(pair[1].1)
        )
    });
    let marks = series.points.iter().map(|(across, up, words, ringed)| {
        let ring = match ringed {
            true => html!("<circle class=\"ring\" cx=\"{}\" cy=\"{}\" r=\"9\"/>", x(*across), y(*up)),
            false => Html::default(),
        };
        html!(
            "<g>{}<text class=\"mark s{}\" x=\"{}\" y=\"{}\">{}<title>{}</title></text></g>",
            ring,
            number,
            x(*across),
            down(y_of(*up) + 4.5),
            MARKS[number],
            words
        )
    });
    html!("{}{}", lines.collect::<Html>(), marks.collect::<Html>())
}

fn x(place: f64) -> String {
    percent(LEFT + place.clamp(0.0, 1.0) * (RIGHT - LEFT))
}

fn y(place: f64) -> String {
    down(y_of(place))
}

fn y_of(place: f64) -> f64 {
    ABOVE + (1.0 - place.clamp(0.0, 1.0)) * (HEIGHT - ABOVE - BELOW)
}

fn percent(place: f64) -> String {
    format!("{place:.2}%")
}

fn down(pixels: f64) -> String {
    format!("{pixels:.1}")
}
