// plan: what reading and marking a plan of 10,000 tasks cost. It ends with 1 where either takes a second for short ones.
import { Result } from "effect"
import { markDone } from "../src/drive/plan/file/Edit.ts"
import { readPlan } from "../src/drive/plan/file/Document.ts"

const count = 10_000
const most = 1000

const short = (i: number) =>
  `  - title: Task ${i}\n    description: Fix the bound in file ${i}, and test it.\n    done: false\n`
const long = (i: number) =>
  `${short(i)}    files:\n      - src/${i}.ts\n    dependencies: [${i === 0 ? "" : i - 1}]\n`
  + `    steps:\n      - prompt: >\n          Fix it.\n        done: false\n`

/** The least wall time of some calls in milliseconds: what else the machine does comes on top of it. */
const least = (call: () => unknown): number =>
  Math.min(...Array.from({ length: 5 }, () => {
    const from = process.hrtime.bigint()
    call()
    return Number(process.hrtime.bigint() - from) / 1e6
  }))

for (const [name, task, judged] of [["short", short, true], ["long", long, false]] as const) {
  const text = `tasks:\n${Array.from({ length: count }, (_, i) => task(i)).join("")}`
  const bytes = new TextEncoder().encode(text)
  const document = Result.getOrThrow(readPlan(bytes))
  if (document.plan.tasks.length !== count) throw new Error("the plan was not read")
  const took = {
    read: least(() => Result.getOrThrow(readPlan(bytes))),
    "one marked": least(() => Result.getOrThrow(markDone(document, [count / 2], 0))),
    "all marked": least(() => Result.getOrThrow(markDone(document, [...document.plan.tasks.keys()], 0)))
  }
  const figures = Object.entries(took).map(([what, ms]) => `${what} in ${ms.toFixed(0)} ms`)
  console.log(`${count} ${name} tasks, ${(text.length / 1e6).toFixed(1)} MB: ${figures.join(", ")}`)
  if (judged && Math.max(...Object.values(took)) >= most) process.exitCode = 1
}
