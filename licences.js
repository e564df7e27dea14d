import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Which packages are in the bundle, under which licences. All comes from what the bundler says it has read, so that
 * nothing is missing and nothing is in excess.
 */

/** The files of a package that its licence asks to be passed on. */
const LICENCE_FILE = /(^|[.-])(licen[cs]es?|notice|copying)([.-]|$)/i;

/** What a readme says of it: a chapter to the end or the next of the same rank. */
const LICENCE_CHAPTER = /^#+ *licen[cs]e.*\n+([^]*?)(?=^#|$(?![^]))/im;

/**
 * @param {import('esbuild').Metafile} metafile what the bundler says it has read
 * @param {string[]} served names of packages of which files are read at run time
 * @returns the packages with their folders, by name; of one that is there twice, both
 */
export async function bundledPackages({ inputs }, served = []) {
  const folders = new Set(served.map((name) => join('node_modules', name)));
  for (const path of Object.keys(inputs)) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  const packages = await Promise.all(
    [...folders].map(async (folder) => {
      const { name, version, license, licenses } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      return { folder, name, version, license: license?.type ?? license ?? licenses?.[0]?.type };
    }),
  );
  return packages.toSorted((a, b) => `${a.name}@${a.version}`.localeCompare(`${b.name}@${b.version}`, 'en'));
}

/**
 * One text of all licences and notices. Where a package brings no file, it is what its readme says, or only the name of its
 * licence.
 *
 * @throws Error if a package says nothing at all
 */
export async function licenceTexts(packages) {
  const texts = await Promise.all(
    packages.map(async ({ folder, name, version, license }) => {
      const files = await readdir(folder);
      const read = (file) => readFile(join(folder, file), 'utf8');
      let contents = await Promise.all(files.filter((file) => LICENCE_FILE.test(file)).toSorted().map(read)); // prettier-ignore
      if (contents.length === 0) {
        const readme = files.find((file) => /^readme/i.test(file));
        contents = readme === undefined ? [] : [LICENCE_CHAPTER.exec(await read(readme))?.[1] ?? ''];
      }
      const parts = [license && `Licence: ${license}`, ...contents.map((text) => text.trim())].filter(Boolean);
      if (parts.length === 0) throw new Error(`${folder} names no licence`);
      return [`${name} ${version}`, ...parts].join('\n\n');
    }),
  );
  return `${texts.join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}

const purl = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

const describe = (type, of) => ({ type, name: of.name, version: of.version, purl: purl(of), 'bom-ref': purl(of) });

/** The software bill of materials of what is in the bundle, in the format CycloneDX, which scanners read. */
export function materials({ name, version }, packages) {
  const components = packages.map((of) => ({
    ...describe('library', of),
    ...(of.license && {
      licenses: [isName(of.license) ? { license: { id: of.license } } : { expression: of.license }],
    }),
  }));
  return JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      version: 1,
      metadata: { component: describe('application', { name, version }) },
      components: [...new Map(components.map((component) => [component.purl, component])).values()],
    },
    null,
    2,
  );
}

/** Whether it is one licence, not an expression such as `(MIT OR Apache-2.0)`. */
const isName = (license) => /^[\w.+-]+$/.test(license);
