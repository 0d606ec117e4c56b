// Draws reports with the randomizer that answers surveys, and counts them; between chunks the page can breathe.

import { drawReport } from "./randomizer.js";

const CHUNK = 2_000;

/** How often each report came; `progress` gets how many draws are done. */
export async function tally({ columns, denominator }, truth, draws, progress) {
  const counts = columns[truth].map(() => 0);
  for (let done = 0; done < draws; ) {
    const end = Math.min(done + CHUNK, draws);
    for (; done < end; done += 1) {
      const report = drawReport(columns, denominator, truth);
      if (!(report in counts)) throw new RangeError(`there is no report ${report}`);
      counts[report] += 1;
    }
    progress(done);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return counts;
}
