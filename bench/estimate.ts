// estimate: how far off the estimate of what is left is, over code whose defects are known: the table of docs/estimate.md.
// It judges nothing; property/Estimate.property.test.ts holds such figures within bounds.
import { figures, worlds } from "../property/estimating.ts"

const sizes = [2, 3, 4, 6, 8]
const cell = (world: (typeof worlds)[string], defects: number, size: number): string => {
  const { bias, held, silent, width } = figures(world, defects, size, 2000)
  const percent = Math.round(bias)
  return `${percent > 0 ? "+" : ""}${percent}, ${Math.floor(held)}, ${width.toFixed(0)}${
    silent < 0.5 ? "" : ` (${Math.round(silent)})`
  }`
}

console.log(
  `| defects | chance that a reviewer reports one | ${sizes.map((size) => `${size} reviewers`).join(" | ")} |`
)
console.log(`|---|---|${sizes.map(() => "---").join("|")}|`)
for (const defects of [5, 10, 20, 50]) {
  for (const [name, world] of Object.entries(worlds)) {
    console.log(`| ${defects} | ${name} | ${sizes.map((size) => cell(world, defects, size)).join(" | ")} |`)
  }
}
