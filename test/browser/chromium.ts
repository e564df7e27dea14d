import { spawnSync } from 'node:child_process';
import { chromium, type Browser } from 'playwright-core';

/** @throws Error that says what to install where there is no Chromium */
export async function launchChromium(): Promise<Browser> {
  const [executablePath = ''] = spawnSync('which', ['chromium', 'chromium-browser', 'google-chrome'], {
    encoding: 'utf8',
  }).stdout.split('\n');
  if (executablePath === '') {
    throw new Error('These tests need Chromium. Install it, on Debian with: apt-get install chromium');
  }
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
}
