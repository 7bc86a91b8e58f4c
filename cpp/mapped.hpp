// Files as memory that may be lost: a private mapping of a file's bytes, followed by room for more.
//
// A file that is shortened while it is mapped makes the kernel send SIGBUS to whoever reads beyond its end. Regions are
// registered with a handler: it puts zeros in place of the region's file and marks it as lost, so that the reader goes on
// and whoever checks lost() afterwards knows that what was read is void. Every other SIGBUS goes to the handler before.
#pragma once

#include <cstdint>

namespace scrubjay::mapped {

class Region {
 public:
  // Bytes [offset, offset + size) of an open file, then zeros up to `capacity` (>= size) bytes. `offset` is a multiple of
  // the page size. Whole pages are mapped and not yet writable, what is left over is read. Throws std::system_error.
  Region(int file, std::int64_t offset, std::int64_t size, std::int64_t capacity);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  unsigned char* data() const { return data_; }
  std::int64_t capacity() const { return capacity_; }
  // Bytes that are mapped from the file.
  std::int64_t size() const { return mapped_; }
  bool lost() const;
  // Lets the mapped bytes be written: a page that is becomes this process's own. Throws std::system_error.
  void let_write();
  // How many of the mapped bytes are in memory now.
  std::int64_t resident() const;

 private:
  void release();

  unsigned char* data_ = nullptr;
  std::int64_t reserved_ = 0, capacity_ = 0, mapped_ = 0;
  int slot_ = -1;
  bool writable_ = false;
};

// Puts the handler (back) in its place, should another have taken it.
void arm();

}  // namespace scrubjay::mapped
