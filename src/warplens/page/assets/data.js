// The page's data: JSON, and columns of whole numbers beside it, both gzip in base64.
const unpack = async id => {
  const holder = document.getElementById(id);
  const text = atob(holder.textContent);
  holder.remove();
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

// Reads LEB128 numbers one after the other, in the order in which html.cpp wrote them.
class Columns {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  number() {
    const bytes = this.bytes;
    let byte = bytes[this.at++], value = byte & 127, scale = 128;
    while (byte & 128) { byte = bytes[this.at++]; value += (byte & 127) * scale; scale *= 128; }
    return value;
  }
  signed() {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  numbers(count, Type) {
    const out = new Type(count);
    for (let i = 0; i < count; ++i) out[i] = this.number();
    return out;
  }
  rising(count) {
    const out = new Float64Array(count);
    let value = 0;
    for (let i = 0; i < count; ++i) out[i] = value += this.signed();
    return out;
  }
}

const readLanes = (block, columns) => {
  for (const lane of block.lanes) {
    const count = lane.count;
    lane.start = columns.rising(count);
    lane.duration = columns.numbers(count, Float64Array);
    lane.nameOf = columns.numbers(count, Uint32Array);
    lane.classOf = columns.numbers(count, Uint32Array);
    lane.detailOf = columns.numbers(count, Uint32Array);
    lane.launchLane = columns.numbers(lane.launches ? count : 0, Uint32Array);
    lane.launchBefore = columns.numbers(lane.launches ? count : 0, Float64Array);
  }
};

const readFlames = (block, columns) => {
  block.parent = columns.numbers(block.names.length, Uint32Array);
  block.total = columns.numbers(block.names.length, Float64Array);
  block.colour = columns.numbers(block.names.length, Uint8Array);
};

const readSeries = (block, columns) => {
  for (const line of block.lines) {
    line.time = new Float64Array(line.count);
    line.value = new Float64Array(line.count);
    let time = 0, value = 0;
    for (let i = 0; i < line.count; ++i) {
      line.time[i] = time += columns.signed();
      line.value[i] = value += columns.signed();
    }
  }
};

const kReaders = { lanes: readLanes, flames: readFlames, series: readSeries };

const readPage = async () => {
  const [json, packed] = await Promise.all([unpack('data'), unpack('columns')]);
  const page = JSON.parse(new TextDecoder().decode(json)), columns = new Columns(packed);
  for (const section of page.sections) {
    for (const block of section.blocks) kReaders[block.kind]?.(block, columns);
  }
  return page;
};
