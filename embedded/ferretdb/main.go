// A MongoDB-wire server over SQLite for machines without mongod: FerretDB as a library.
// Its own binary package panics on a missing version file; the library does not.
//
// Usage: ferretdb HOST:PORT STATE_DIR
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

const version = "1.24.2"

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("ferretdb", version)
		return
	}
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: ferretdb HOST:PORT STATE_DIR")
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
	// The trailing slash tells FerretDB that this is a folder of databases.
	location := url.URL{Scheme: "file", Path: filepath.ToSlash(dir) + "/"}
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	indexAll(stop, dir, logger)
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: address},
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
	return server.Run(stop)
}
