import { fileURLToPath } from 'node:url';

/** The folder that holds package.json: tests run from `<root>/<build folder>/test/support`. */
export const repositoryRoot = fileURLToPath(new URL('../../../', import.meta.url));
