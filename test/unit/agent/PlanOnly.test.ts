// PlanOnly: plans, and reports of work that was done.
import { assert, it } from "vitest"
import { looksLikePlanOnly } from "../../../src/agent/Recovery.ts"

it.each([
  "Plan:\n1. read",
  "## Detailed plan\n...",
  "This is my plan",
  "Here's what I'll do: ...",
  "Here\u2019s what I\u2019ll do",
  "I will plan the change.",
  "I can plan this.",
  "First I will implement the parser.",
  "I will make the change.",
  "The implementation will use a map.",
  "1. Plan the work",
  "- Plan",
  "> **Plan**",
  "plan.md comes first",
  "Here is the plan:",
  "Done with reading.\r\nHere comes **my plan**\r\n",
  "I'll implement it",
  "I\u2019ll plan it",
  "I will  implement",
  "Here is what I will do"
])("%j reads like a plan", (text) => assert.isTrue(looksLikePlanOnly(text)))

it.each([
  "",
  "I implemented the parser and ran the tests.",
  "Planning took a while; done.",
  "The airplane module compiles.",
  "I followed the plan.",
  "I followed the plan and ran the tests.",
  "The biplan",
  "plans",
  "I implemented what I will describe below."
])(
  "%j does not",
  (text) => assert.isFalse(looksLikePlanOnly(text))
)
