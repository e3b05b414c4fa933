import type { RefObject } from 'preact';
import { memo } from 'preact/compat';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SpeakerNames } from '../../../contract/kinds/speaker-names.ts';
import { clockText } from '../format-values.ts';
import { Button, Checkbox, Form, SearchField } from '../ui/controls.tsx';
import { useVirtual } from '../ui/virtual.ts';
import { voiceOf } from './lanes.tsx';
import { cachedWordsOf, playFrom, usePosition } from './playback.ts';
import { folded } from './rows.ts';
import { nameIn, type Line } from './transcript-lines.ts';

/** The height of about two lines of text with their time. */
const ROW_HEIGHT = 72;

interface TranscriptProps {
  readonly lines: readonly Line[];
  /** The labels in the order of their colours. */
  readonly speakers: readonly string[];
  readonly names: SpeakerNames;
  readonly media: RefObject<HTMLMediaElement | null>;
}

/** A transcript that follows the playback. A click on a word plays it; search hits are highlighted. */
export function TranscriptView({ lines, speakers, names, media }: TranscriptProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const { line: current, word, isPlaying } = usePosition(media, lines);
  const search = useSearch(lines);
  const virtual = useVirtual({ count: lines.length, rowHeight: ROW_HEIGHT, scroller });
  useEffect(() => {
    if (isPlaying && isFollowing && current >= 0) virtual.scrollToIndex(current, { align: 'center' });
  }, [current, isPlaying, isFollowing]);
  useEffect(() => {
    if (search.at === undefined) return;
    setFollowing(false);
    virtual.scrollToIndex(search.at, { align: 'center' });
  }, [search.at]);
  const play = useCallback((seconds: number): void => {
    setFollowing(true);
    playFrom(media.current, seconds);
  }, []);
  const stopFollowing = (): void => setFollowing(false);
  return (
    <div class="transcript">
      <div class="row transcript-tools">
        <SearchForm search={search} />
        <Checkbox isChecked={isFollowing} onChange={setFollowing}>
          Follow playback
        </Checkbox>
      </div>
      <div
        class="lines"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="Lines of the transcript"
        onWheel={stopFollowing}
        onTouchMove={stopFollowing}
      >
        <ol style={{ height: `${virtual.getTotalSize().toString()}px` }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const line = lines[index];
            return line === undefined ? null : (
              <li
                key={key}
                data-index={index}
                ref={(node) => virtual.measureElement(node)}
                aria-setsize={lines.length}
                aria-posinset={index + 1}
                class={index === current ? 'line-now' : ''}
                style={{ transform: `translateY(${start.toString()}px)` }}
              >
                <TranscriptLine
                  line={line}
                  voice={line.speaker === undefined ? -1 : speakers.indexOf(line.speaker)}
                  name={line.speaker === undefined ? undefined : nameIn(names, line.speaker)}
                  isNewVoice={line.speaker !== lines[index - 1]?.speaker}
                  word={index === current ? word : -1}
                  sought={search.isHit(index) ? search.text : ''}
                  onPlay={play}
                />
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

interface LineProps {
  readonly line: Line;
  /** The index of the colour; -1 without a speaker. */
  readonly voice: number;
  readonly name: string | undefined;
  readonly isNewVoice: boolean;
  readonly word: number;
  readonly sought: string;
  readonly onPlay: (seconds: number) => void;
}

const TranscriptLine = memo(({ line, voice, name, isNewVoice, word, sought, onPlay }: LineProps) => (
  <>
    <button
      type="button"
      class="time"
      aria-label={`Play from ${clockText(line.start)}${name === undefined ? '' : `, ${name}`}`}
      onClick={() => onPlay(line.start)}
    >
      {clockText(line.start)}
    </button>
    <div class="said" style={{ '--voice': voice < 0 ? 'transparent' : `var(${voiceOf(voice)})` }}>
      {name !== undefined && isNewVoice ? (
        <strong class="voice-name" dir="auto">
          {name}
        </strong>
      ) : null}
      <p
        dir="auto"
        onClick={(event) => {
          const index = event.target instanceof HTMLElement ? event.target.dataset['word'] : undefined;
          if (index !== undefined) onPlay(cachedWordsOf(line)[Number(index)]?.start ?? line.start);
        }}
      >
        {cachedWordsOf(line).map(({ text, isUnsure }, index) => [
          <span key={index} data-word={index} class={classOf(index === word, isSought(text, sought), isUnsure)}>
            {text}
          </span>,
          ' ',
        ])}
      </p>
    </div>
  </>
));

function classOf(isNow: boolean, isHit: boolean, isUnsure = false): string {
  return `${isNow ? 'word-now' : isUnsure ? 'word-unsure' : ''} ${isHit ? 'word-hit' : ''}`.trim();
}

function isSought(word: string, sought: string): boolean {
  if (sought === '') return false;
  const plain = folded(word);
  return sought.split(' ').some((part) => part !== '' && plain.includes(part));
}

function useSearch(lines: readonly Line[]) {
  const [typed, setTyped] = useState('');
  const [hitIndex, setHitIndex] = useState(0);
  const text = folded(typed).replace(/\s+/g, ' ').trim();
  const texts = useMemo(() => lines.map((line) => folded(line.text).replace(/\s+/g, ' ')), [lines]);
  const hits = useMemo(
    () => (text === '' ? [] : texts.flatMap((one, index) => (one.includes(text) ? [index] : []))),
    [texts, text],
  );
  const asSet = useMemo(() => new Set(hits), [hits]);
  useEffect(() => setHitIndex(0), [text]);
  return {
    ...{ text, typed, setTyped, count: hits.length, at: hits[hitIndex] },
    // From 1; 0 without a hit.
    number: hits.length === 0 ? 0 : hitIndex + 1,
    isHit: (index: number) => asSet.has(index),
    step: (by: number) => setHitIndex((before) => (hits.length === 0 ? 0 : (before + by + hits.length) % hits.length)),
  };
}

function SearchForm({ search }: { readonly search: ReturnType<typeof useSearch> }) {
  const { typed, setTyped, text, count, number, step } = search;
  return (
    <Form class="row grow" role="search" aria-label="In the transcript" onSend={() => step(1)}>
      <SearchField label="Search the transcript" value={typed} onText={setTyped} />
      {text === '' ? null : (
        <>
          <span role="status" class="quiet">
            {count === 0 ? 'No match' : `${number.toString()} of ${count.toString()}`}
          </span>
          <Button disabled={count < 2} onClick={() => step(-1)} aria-label="The one before">
            ↑
          </Button>
          <Button type="submit" disabled={count < 2} aria-label="The next one">
            ↓
          </Button>
        </>
      )}
    </Form>
  );
}
