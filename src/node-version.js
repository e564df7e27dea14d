// Ends the process with one clear line where Node.js is older than package.json asks for. It is plain JavaScript, and what
// comes after it must be a dynamic import, since an older Node.js can't even parse or link the rest.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const [major, minor] = needed.split('.').map(Number);
const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);

if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  console.error(
    `Node.js ${needed} or newer is needed, this is ${process.versions.node}. Install a newer one, see https://nodejs.org.`,
  );
  process.exit(1);
}
