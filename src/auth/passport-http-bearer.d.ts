/** What is used of this package. Its own types would bring those of Express and Koa. */
declare module 'passport-http-bearer' {
  export class Strategy {
    constructor(options?: { passReqToCallback?: boolean });
  }
}
