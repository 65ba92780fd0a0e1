// Merge: the findings of several reviews as one list, each defect once with everyone who saw it.
// The result depends only on the set of reports, so merging is associative, commutative, idempotent.
import { type Finding, findingFrom, type Report, titleWords } from "./Finding.ts"

// Lines between two reports of one defect: reviewers point at the statement or at the function around it.
const gap = 3
// How alike two titles must be (Dice over their words) to name the same defect at touching places.
const alike = 0.5
// Each report is compared with at most this many before it in its file, in case thousands point at one line.
const lookBack = 64

/** The fields of a report that merging compares. */
type ReportPlace = Pick<Report, "path" | "lines" | "title">

interface Worded {
  readonly report: ReportPlace
  readonly words: ReadonlySet<string>
  readonly key: string
}

interface Atom extends Worded {
  readonly report: Report
}

const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

// A total order on reports: no two different ones are equal. Places first, so that neighbours are close.
const byPlace = (a: Report, b: Report): number =>
  text(a.path ?? "", b.path ?? "") || (a.path === null ? 0 : 1) - (b.path === null ? 0 : 1) ||
  (a.lines?.start ?? 0) - (b.lines?.start ?? 0) || (a.lines?.end ?? 0) - (b.lines?.end ?? 0) ||
  text(a.title, b.title) || text(a.body, b.body) || (a.priority ?? 4) - (b.priority ?? 4) || a.slot - b.slot

// Which report gives a finding its fields: the gravest, then the most thorough, then the first in the order above.
const byWeight = (a: Report, b: Report): number =>
  (a.priority ?? 4) - (b.priority ?? 4) || b.body.length - a.body.length || byPlace(a, b)

const dice = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const shared = [...a].filter((word) => b.has(word)).length
  return a.size + b.size === 0 ? 1 : (2 * shared) / (a.size + b.size)
}

// Whether the places of two reports of one file touch, or nearly so.
const touching = (a: ReportPlace, b: ReportPlace): boolean =>
  a.path !== null && a.lines !== null && b.lines !== null &&
  a.lines.start <= b.lines.end + gap && b.lines.start <= a.lines.end + gap

// Reports without lines can only be distinguished by their words; twins far from each other stay two findings.
const ofOne = (a: Worded, b: Worded): boolean =>
  touching(a.report, b.report)
    ? dice(a.words, b.words) >= alike
    : a.report.lines === null && b.report.lines === null && a.key === b.key

// A reviewer that wrote two findings meant two.
const same = (a: Atom, b: Atom): boolean => a.report.slot !== b.report.slot && ofOne(a, b)

/** Whether two reports name one place: nearly the same lines of a file, or both none of its lines. */
export const inOnePlace = (a: ReportPlace, b: ReportPlace): boolean =>
  a.path === b.path && (touching(a, b) || (a.lines === null && b.lines === null))

/** Whether two reports of one path mean one defect: they would be merged, or use the same words elsewhere. */
export const ofOneDefect = (a: ReportPlace, b: ReportPlace): boolean => {
  if (a.path !== b.path) return false
  const [one, other] = [worded(a), worded(b)]
  return ofOne(one, other) || (one.words.size > 0 && one.key === other.key)
}

const near = (a: Atom, b: Atom): boolean => touching(a.report, b.report) || a.key === b.key

const find = (parents: Array<number>, i: number): number => {
  let at = i
  for (let up = parents[at] ?? at; up !== at; up = parents[at] ?? at) {
    parents[at] = parents[up] ?? up
    at = up
  }
  return at
}

const worded = <R extends ReportPlace>(report: R) => {
  const words = titleWords(report.title)
  return { report, words: new Set(words), key: `${report.path ?? ""}\n${words.join(" ")}` }
}

const atomsOf = (lists: ReadonlyArray<ReadonlyArray<Finding>>): ReadonlyArray<Atom> => {
  const reports = lists.flat().flatMap((finding) => finding.reports).sort(byPlace)
  return reports
    .filter((report, i) => i === 0 || byPlace(report, reports[i - 1] ?? report) !== 0)
    .map(worded)
}

/**
 * Merges the findings of any number of reviews. Two reports are one defect if their places touch and their titles share
 * enough words; `related` names neighbours that were compared and kept apart. Sorted by priority, then place.
 */
export const mergeFindings = (...lists: ReadonlyArray<ReadonlyArray<Finding>>): ReadonlyArray<Finding> => {
  const atoms = atomsOf(lists)
  const parents = atoms.map((_, i) => i)
  const refused: Array<readonly [number, number]> = []
  atoms.forEach((atom, i) => {
    for (let j = i - 1; j >= Math.max(0, i - lookBack); j--) {
      const other = atoms[j]
      if (other === undefined || other.report.path !== atom.report.path) break
      if (same(atom, other)) parents[find(parents, i)] = find(parents, j)
      else if (near(atom, other)) refused.push([i, j])
    }
  })
  const groups = new Map<number, Array<Report>>()
  atoms.forEach((atom, i) => {
    const root = find(parents, i)
    const group = groups.get(root)
    if (group === undefined) groups.set(root, [atom.report])
    else group.push(atom.report)
  })
  return findingsOf(groups, refused.map(([i, j]) => [find(parents, i), find(parents, j)]))
}

const findingsOf = (
  groups: ReadonlyMap<number, ReadonlyArray<Report>>,
  refused: ReadonlyArray<readonly [number, number]>
): ReadonlyArray<Finding> => {
  const findings = new Map<number, Finding>()
  for (const [root, reports] of groups) {
    const [first, ...others] = [...reports].sort(byWeight)
    if (first !== undefined) findings.set(root, findingFrom(first, others))
  }
  const related = new Map<number, Set<string>>()
  const relate = (root: number, other: number) => {
    const name = findings.get(other)?.fingerprint
    if (root !== other && name !== undefined) related.set(root, (related.get(root) ?? new Set()).add(name))
  }
  for (const [a, b] of refused) {
    relate(a, b)
    relate(b, a)
  }
  return [...findings]
    .map(([root, finding]) => ({ ...finding, related: [...(related.get(root) ?? [])].sort() }))
    .sort(byGravity)
}

const byGravity = (a: Finding, b: Finding): number => {
  const [first] = a.reports
  const [second] = b.reports
  if (first === undefined || second === undefined) return a.reports.length - b.reports.length
  return (a.priority ?? 4) - (b.priority ?? 4) || byPlace(first, second)
}
