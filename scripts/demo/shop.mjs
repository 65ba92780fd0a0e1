// The project of the demonstration of `converge`: one commit, then staged work with a planted defect.

/** What is committed: right, but only for one purpose. */
const COMMITTED = `export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)
`

/** What is not committed yet: a new file whose loop runs one past the end. */
const PLANTED = `import { total } from "./total.mjs"

export const average = (prices) => total(prices) / prices.length

export const dearest = (prices) => {
  let most = prices[0]
  for (let index = 1; index <= prices.length; index += 1) {
    most = Math.max(most, prices[index])
  }
  return most
}
`

/** The project's tests do not reach the defect. */
const TEST = `import assert from "node:assert/strict"
import { test } from "node:test"
import { average } from "../src/statistics.mjs"

test("the average of prices", () => assert.equal(average([2, 4, 9]), 5))
`

/** @type {import("./scratch.mjs").Project} */
export const SHOP = {
  committed: { "src/total.mjs": COMMITTED },
  staged: { "src/statistics.mjs": PLANTED, "test/statistics.test.mjs": TEST }
}
