// Reviewing: all that ends and judges reviews, for programs that load it only when it is needed: few marks need it.
export { end, endReviews, takeInReadable } from "./EndReviews.ts"
export { recordWaivers } from "./RecordWaivers.ts"
export { waiversOf } from "../runs/Waivers.ts"
