// Two translations one after the other: the client's wire over a second one, and that over a third.
import { type JsonObject, type Translation, Untranslatable } from './translation.ts'

export function through(outer: Translation, inner: Translation): Translation {
  return {
    request: body => innerRequest(outer, inner, outer.request(body)),
    answer: (body, about, request) => outer.answer(inner.answer(body, about), about, request),
    stream: (request, about) => {
      // The outer translation reads the usage from the stream that the inner one makes.
      const between = { ...outer.request(request), stream_options: { include_usage: true } }
      const [first, second] = [inner.stream(between, about), outer.stream(request, about)]
      return {
        next: event => first.next(event).flatMap(second.next),
        end: () => [...first.end().flatMap(second.next), ...second.end()],
      }
    },
  }
}

/** What the inner translation refuses has the name that the client gave it. */
function innerRequest({ fieldOf = path => path }: Translation, inner: Translation, between: JsonObject): JsonObject {
  try {
    return inner.request(between)
  } catch (error) {
    throw error instanceof Untranslatable ? new Untranslatable(fieldOf(error.path), error.message) : error
  }
}
