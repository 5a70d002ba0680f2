// Loaded into the reference server before itself: it listens on this machine alone, on a free port, and says on which.
const { Server } = require('node:net');
const listen = Server.prototype.listen;
Server.prototype.listen = function (_port, ...rest) {
  this.once('listening', () => process.stderr.write(`PORT ${this.address().port}\n`));
  return listen.call(this, { port: 0, host: '127.0.0.1' }, rest.find((one) => typeof one === 'function'));
};
