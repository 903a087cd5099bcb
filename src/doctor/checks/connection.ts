import type { ExaminePorts, ServerTarget } from '../ports.js';
import type { Report } from '../report.js';
import { headerValues } from '../seen-http.js';

/** More than this between two clocks is no delay of the network. */
const maxSkewMs = 60_000;

const slowMs = 3_000;

/** Step 1, by the requests so far: time taken, and what the server's clock says. */
export function checkConnection({ http }: Pick<ExaminePorts, 'http'>, { server }: ServerTarget, report: Report): void {
  const responded = http.exchanges.filter(({ response }) => response !== undefined);
  const [first] = responded;
  if (first?.response === undefined) return;
  report.pass('connect', `${new URL(server).host} responds in ${first.ms} ms`);
  const [date] = headerValues(first.response, 'date');
  const skewMs = date === undefined ? Number.NaN : Date.parse(date) - first.at;
  if (Math.abs(skewMs) > maxSkewMs) {
    const seconds = Math.round(Math.abs(skewMs) / 1000);
    report.found('clock-wrong', `this clock is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the server’s`);
  }
  const slowest = responded.toSorted((one, other) => other.ms - one.ms)[0];
  if (slowest !== undefined && slowest.ms > slowMs) {
    report.found('slow-response', `${slowest.method} ${slowest.url} took ${(slowest.ms / 1000).toFixed(1)} s`);
  }
}
