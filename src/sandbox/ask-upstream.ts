import { request } from 'node:http';
import { collectBytes } from '../core/text/bytes.js';
import { asObject, parseJson } from '../core/text/json.js';

const largestResponse = 16_384;

/**
 * One request to the upstream, which is on this computer: a GET, or a POST of `form`. The strings in the JSON
 * object of its response; empty for one that is an error or none of that.
 *
 * @throws the system's error when it cannot be reached
 */
export async function askUpstream(
  url: string,
  headers: Readonly<Record<string, string>>,
  form?: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...headers, ...(body === undefined ? {} : type) },
        agent: false,
        timeout: 5000,
      },
      (response) => {
        collectBytes(response, largestResponse, () => new Error('the upstream said too much'))
          .then((bytes) => resolve(response.statusCode === 200 ? stringsIn(bytes) : {}))
          .catch(reject);
      },
    );
    sent.once('timeout', () => sent.destroy(new Error('the upstream did not answer')));
    sent.on('error', reject);
    sent.end(body);
  });
}

function stringsIn(bytes: Uint8Array): Readonly<Record<string, string>> {
  const parsed = parseJson(bytes);
  const object = parsed.ok ? (asObject(parsed.value) ?? {}) : {};
  return Object.fromEntries(
    Object.entries(object).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
