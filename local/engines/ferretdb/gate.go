package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"log/slog"
	"net"
	"sync"
)

// FerretDB reads a document, changes it and writes it back in three steps, between which another change may occur. Of 300
// concurrent updates that decremented a counter of 100 if it was above 0, all 300 reported a match, and 28 took effect. In
// MongoDB a change of one document is atomic, and the service relies on that.
//
// So clients connect to a gate, which forwards messages and lets only one change of a document pass at a time.

const (
	headerLength = 16
	opMsg        = 2013
	// The flag of a request that expects no response.
	moreToCome = 1 << 1
	// The limit of FerretDB.
	maxMessage = 48_000_000
	stripes    = 1024
)

type gate struct {
	backend string
	// The folder of the databases.
	dir    string
	logger *slog.Logger
	locks  [stripes]sync.Mutex
}

// run connects the clients of the listener with the backend until the context ends.
func (g *gate) run(ctx context.Context, listener net.Listener) error {
	go func() {
		<-ctx.Done()
		_ = listener.Close()
	}()
	for {
		client, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		go g.serve(ctx, client)
	}
}

func (g *gate) serve(ctx context.Context, client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", g.backend)
	if err != nil {
		g.logger.Error("the database does not listen", "error", err)
		return
	}
	defer server.Close()
	stopped := context.AfterFunc(ctx, func() {
		_ = client.Close()
		_ = server.Close()
	})
	defer stopped()
	for {
		request, err := readMessage(client)
		if err != nil {
			return
		}
		if err := g.answer(ctx, request, client, server); err != nil {
			return
		}
	}
}

func (g *gate) answer(ctx context.Context, request []byte, client, server net.Conn) error {
	var broken error
	exchange := func(request []byte) ([]byte, error) {
		response, err := g.exchange(request, server)
		broken = errors.Join(broken, err)
		return response, err
	}
	response, isPage := g.answerPage(ctx, request, exchange)
	if !isPage && broken == nil {
		response, _ = exchange(request)
	}
	if broken != nil || response == nil {
		return broken
	}
	_, err := client.Write(response)
	return err
}

// exchange sends a request to the database and returns the response. It releases the lock of a changed document before the
// client reads the response.
func (g *gate) exchange(request []byte, server net.Conn) ([]byte, error) {
	if key, ok := changedDocument(request); ok {
		hash := fnv.New32a()
		_, _ = hash.Write(key)
		lock := &g.locks[hash.Sum32()%stripes]
		lock.Lock()
		defer lock.Unlock()
		var err error
		if request, err = g.filterByID(request, server); err != nil {
			return nil, err
		}
	}
	if _, err := server.Write(request); err != nil {
		return nil, err
	}
	if expectsNoResponse(request) {
		return nil, nil
	}
	return readMessage(server)
}

func readMessage(from io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(length[:])
	if size < headerLength || size > maxMessage {
		return nil, errors.New("not a message of the MongoDB wire protocol")
	}
	message := make([]byte, size)
	copy(message, length[:])
	_, err := io.ReadFull(from, message[4:])
	return message, err
}

func isMsg(message []byte) bool {
	return binary.LittleEndian.Uint32(message[12:]) == opMsg && len(message) > headerLength+10
}

func expectsNoResponse(message []byte) bool {
	return isMsg(message) && binary.LittleEndian.Uint32(message[headerLength:])&moreToCome != 0
}

// changedDocument returns the collection and the string `_id` of an update, delete or findAndModify. Changes with any other
// filter are not locked: the service makes them only to documents that nothing else changes.
//
// The filter is the first part of such a command, so the first `_id` in the message belongs to it. If it did not, the change
// would wait for an unrelated lock, which does no harm.
func changedDocument(message []byte) ([]byte, bool) {
	if !isMsg(message) || message[headerLength+4] != 0 {
		return nil, false
	}
	// The message has flags, the kind of the section and the length of the document, whose first element is a string with the
	// name of the command.
	command := message[headerLength+9:]
	named, value, _ := bytes.Cut(command, []byte{0})
	if _, ok := statements[string(bytes.TrimPrefix(named, []byte{2}))]; !ok {
		return nil, false
	}
	collection, rest, ok := cutString(value)
	if !ok {
		return nil, false
	}
	_, value, ok = bytes.Cut(rest, []byte("\x02_id\x00"))
	if !ok {
		return nil, false
	}
	id, _, ok := cutString(value)
	return append(append([]byte(nil), collection...), id...), ok
}

// cutString cuts a BSON string with its final zero from the front.
func cutString(from []byte) (found, rest []byte, ok bool) {
	if len(from) < 4 {
		return nil, nil, false
	}
	size := int64(binary.LittleEndian.Uint32(from))
	if size < 1 || size > int64(len(from)-4) {
		return nil, nil, false
	}
	return from[4 : 4+size], from[4+size:], true
}
