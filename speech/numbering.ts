/** @returns a function that numbers values from 0, in the order in which they first appear */
export function numbering<Value>(): (value: Value) => number {
  const numbers = new Map<Value, number>();
  return (value) => {
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return number;
  };
}
