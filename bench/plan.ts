// plan: what reading a plan of 10,000 tasks costs. It ends with 1 where short ones take a second.
import { parsePlan } from "../src/core/plan/ParsePlan.ts"

const count = 10_000
const most = 1000

const short = (i: number) =>
  `  - title: Task ${i}\n    description: Mend the bound in file ${i}, and test it.\n    done: false\n`
const long = (i: number) =>
  `${short(i)}    files:\n      - src/${i}.ts\n    dependencies: [${i === 0 ? "" : i - 1}]\n`
  + `    steps:\n      - prompt: >\n          Mend it.\n        done: false\n`

/** The least wall time of some readings in milliseconds: what else the machine does comes on top of it. */
const least = (text: string): number =>
  Math.min(...Array.from({ length: 5 }, () => {
    const from = process.hrtime.bigint()
    const read = parsePlan(text)
    if (!read.ok || read.plan.tasks.length !== count) throw new Error("the plan was not read")
    return Number(process.hrtime.bigint() - from) / 1e6
  }))

for (const [name, task, judged] of [["short", short, true], ["long", long, false]] as const) {
  const text = `tasks:\n${Array.from({ length: count }, (_, i) => task(i)).join("")}`
  const took = least(text)
  console.log(`${count} ${name} tasks, ${(text.length / 1e6).toFixed(1)} MB: read in ${took.toFixed(0)} ms`)
  if (judged && took >= most) process.exitCode = 1
}
