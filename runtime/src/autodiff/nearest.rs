//! The name that was probably meant. Knows letters only.

/// The name that comes from another by the fewest slips of a finger, if they are few.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let close = name.chars().count() / 3 + 1;
    let slips = names.map(|it| (slips(name, it), it));
    slips.filter(|(slips, _)| *slips <= close).min_by_key(|(slips, _)| *slips).map(|(_, it)| it)
}

/// How many letters are added, left out, wrong, or have changed places with their neighbour.
fn slips(a: &str, b: &str) -> usize {
    let letters = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, letter) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in b.iter().enumerate() {
            let wrong = rows[i][j] + usize::from(letter != other);
            let mut least = wrong.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *other && *letter == b[j - 1] {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted_and_few_are_forgiven() {
        assert_eq!(
            [slips("Sqaure", "Square"), slips("square", "Square"), slips("", "ab")],
            [1, 0, 2]
        );
        let names = || ["Square", "Sqrt", "Neg"].into_iter();
        assert_eq!(nearest("Sqaure", names()), Some("Square"));
        assert_eq!(nearest("Frobnicate", names()), None);
    }
}
