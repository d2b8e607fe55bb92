#include "warplens/bench/plot/png.h"

#include <cmath>

#include "warplens/base/dynamic_library.h"
#include "warplens/base/text.h"

namespace warplens::bench {
namespace {

/// As rsvg.h, cairo.h and gobject declare them.
struct Rectangle {
  double x, y, width, height;
};

struct Functions {
  void* (*handle_from_data)(const unsigned char*, size_t, void**) = nullptr;
  int (*render)(void*, void*, const Rectangle*, void**) = nullptr;
  int (*intrinsic_size)(void*, double*, double*) = nullptr;
  void (*unref)(void*) = nullptr;
  void* (*surface_create)(int, int, int) = nullptr;
  void (*surface_destroy)(void*) = nullptr;
  void* (*create)(void*) = nullptr;
  void (*destroy)(void*) = nullptr;
  int (*write_png)(void*, int (*)(void*, const unsigned char*, unsigned), void*) = nullptr;

  static Result<Functions> load() {
    WL_ASSIGN(const DynamicLibrary rsvg, DynamicLibrary::open({"librsvg-2.so.2"}));
    WL_ASSIGN(const DynamicLibrary cairo, DynamicLibrary::open({"libcairo.so.2"}));
    WL_ASSIGN(const DynamicLibrary gobject, DynamicLibrary::open({"libgobject-2.0.so.0"}));
    Functions f;
    WL_TRY(rsvg.find("rsvg_handle_new_from_data", f.handle_from_data));
    WL_TRY(rsvg.find("rsvg_handle_render_document", f.render));
    WL_TRY(rsvg.find("rsvg_handle_get_intrinsic_size_in_pixels", f.intrinsic_size));
    WL_TRY(gobject.find("g_object_unref", f.unref));
    WL_TRY(cairo.find("cairo_image_surface_create", f.surface_create));
    WL_TRY(cairo.find("cairo_surface_destroy", f.surface_destroy));
    WL_TRY(cairo.find("cairo_create", f.create));
    WL_TRY(cairo.find("cairo_destroy", f.destroy));
    WL_TRY(cairo.find("cairo_surface_write_to_png_stream", f.write_png));
    return f;
  }
};

int append(void* text, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return 0;  // CAIRO_STATUS_SUCCESS
}

}  // namespace

Result<std::string> to_png(const std::string& svg, double scale) {
  static const Result<Functions> functions = Functions::load();
  if (!functions.ok())
    return not_found("PNG needs librsvg2-2 (apt install librsvg2-2 fonts-dejavu-core); SVG needs nothing");
  const Functions& f = *functions;
  void* const handle = f.handle_from_data(reinterpret_cast<const unsigned char*>(svg.data()), svg.size(), nullptr);
  if (handle == nullptr) return internal_error("librsvg cannot read the SVG");
  double width = 0, height = 0;
  f.intrinsic_size(handle, &width, &height);
  const Rectangle page{0, 0, std::round(width * scale), std::round(height * scale)};
  void* const surface =
      f.surface_create(0, static_cast<int>(page.width), static_cast<int>(page.height));  // CAIRO_FORMAT_ARGB32
  void* const context = f.create(surface);
  std::string png;
  const bool drawn = f.render(handle, context, &page, nullptr) != 0 && f.write_png(surface, append, &png) == 0;
  f.destroy(context);
  f.surface_destroy(surface);
  f.unref(handle);
  if (!drawn) return internal_error("librsvg cannot draw the SVG");
  return png;
}

}  // namespace warplens::bench
