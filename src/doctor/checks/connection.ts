import type { Run } from '../run.js';
import { headerValues } from '../seen-http.js';

/** More than this between two clocks is no delay of the network. */
const maxSkewMs = 60_000;

const slowMs = 3_000;

/** A certificate that ends sooner is worth a word, in milliseconds. */
const soonMs = 14 * 86_400_000;

/** Step 1: each address of the server by itself, the time that requests took so far, and what the server's clock says. */
export async function checkConnection(run: Run): Promise<void> {
  const { server, http, clock, signal, report } = run;
  const responded = http.exchanges.filter(({ response }) => response !== undefined);
  const [first] = responded;
  if (first?.response === undefined) return;
  const addresses = await run.examineAddresses(server, signal);
  const named = addresses.length === 0 ? 'a proxy' : addresses.map(({ address }) => address).join(', ');
  report.pass('connect', `${new URL(server).host} responds in ${first.ms} ms (${named})`);
  for (const { address, failure, certificateUntil } of addresses) {
    if (failure !== undefined) report.found('address-family-dead', `${address}: ${failure.message}`);
    else if (certificateUntil !== undefined && certificateUntil - clock.now() < soonMs) {
      report.found('certificate-expires', `at ${address}: ${new Date(certificateUntil).toISOString()}`);
    }
  }
  const [date = ''] = headerValues(first.response, 'date');
  const skewMs = Date.parse(date) - first.at;
  if (Math.abs(skewMs) > maxSkewMs) {
    const seconds = Math.round(Math.abs(skewMs) / 1000);
    report.found('clock-wrong', `this clock is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the server’s`);
  }
  const slowest = responded.toSorted((one, other) => other.ms - one.ms)[0] ?? first;
  if (slowest.ms > slowMs) {
    report.found('slow-response', `${slowest.method} ${slowest.url} took ${(slowest.ms / 1000).toFixed(1)} s`);
  }
}
