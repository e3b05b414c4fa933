// A server with MongoDB's protocol on SQLite, for machines without mongod. It uses FerretDB as a library, because FerretDB's own
// program panics if its version file is missing.
//
// Usage: ferretdb HOST:PORT|SOCKET STATE_DIR, where SOCKET is the absolute path of a Unix socket
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

const version = "1.24.2"

// The path is relative to the state folder, because a socket's path may have only some 100 characters.
const socket = "ferretdb.sock"

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("ferretdb", version)
		return
	}
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: ferretdb HOST:PORT|SOCKET STATE_DIR")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "ferretdb:", err)
		os.Exit(1)
	}
}

func serve(address, stateDir string) error {
	dir, err := filepath.Abs(stateDir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	// The trailing slash marks a folder of databases.
	location := url.URL{Scheme: "file", Path: filepath.ToSlash(dir) + "/"}
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	removeUnfinished(stop, dir, logger)
	indexAll(stop, dir, logger)
	if err := os.Chdir(dir); err != nil {
		return err
	}
	// A server that was killed leaves its socket behind. The caller ensures that no other server uses the folder.
	if err := removeSocket(socket); err != nil {
		return err
	}
	listener, err := listen(address)
	if err != nil {
		return err
	}
	defer listener.Close()
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{Unix: socket},
		Handler:   "sqlite",
		SQLiteURL: location.String(),
		Logger:    logger,
	})
	if err != nil {
		return err
	}
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		keepIndexed(stop, dir, logger)
	}()
	defer func() {
		cancel()
		<-kept
	}()
	gated := make(chan error, 1)
	go func() {
		// Clients cannot reach the server without the gate, so both end together.
		defer cancel()
		front := &gate{backend: socket, dir: dir, logger: logger}
		gated <- front.run(stop, listener)
	}()
	return errors.Join(server.Run(stop), <-gated)
}

func listen(address string) (net.Listener, error) {
	if !filepath.IsAbs(address) {
		return net.Listen("tcp", address)
	}
	if err := removeSocket(address); err != nil {
		return nil, err
	}
	return net.Listen("unix", address)
}

func removeSocket(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
