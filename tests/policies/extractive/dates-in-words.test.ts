import { expect, it } from "vitest";
import { dateInWords } from "../../../policies/extractive/dates-in-words.ts";

it.each([
  ["I went there yesterday.", "7 May 2023"],
  ["We danced last night!", "7 May 2023"],
  ["I leave tomorrow.", "9 May 2023"],
  ["I cooked this morning.", "8 May 2023"],
  ["That was two days ago.", "6 May 2023"],
  ["That was 10 days ago.", "28 April 2023"],
  ["It happened a week ago.", "the week before 8 May 2023"],
  ["It happened three weeks ago.", "three weeks before 8 May 2023"],
  ["We met five months ago.", "December 2022"],
  ["I moved 4 years ago.", "2019"],
  ["She called last Friday.", "the Friday before 8 May 2023"],
  ["We hiked last weekend.", "the weekend before 8 May 2023"],
  ["I gave a speech last week.", "the week before 8 May 2023"],
  ["The exam is next month.", "June 2023"],
  ["I painted it last year.", "2022"],
  ["The party is on 12 June.", "12 June"],
  ["It was June 3rd, 2021.", "3 June 2021"],
  ["It was on 2022-03-09.", "9 March 2022"],
  ["We go camping in June.", "June 2023"],
  ["I began back in 2016.", "2016"],
  ["I may go.", "8 May 2023"],
  ["Nothing about time.", "8 May 2023"],
])("%s → %s", (sentence, expected) => expect(dateInWords(sentence, "2023-05-08")).toBe(expected));

it("without a day to go by only what the sentence itself says counts", () => {
  expect(dateInWords("I went there yesterday.", null)).toBeNull();
  expect(dateInWords("It was 3 June 2021.", null)).toBe("3 June 2021");
  expect(dateInWords("On 31 February 2021 nothing happened.", null)).toBeNull();
});
