import CHarfBuzz
import VitrineImageFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A TrueType or OpenType font. HarfBuzz shapes text and reads the outlines.
///
/// ```swift
/// let font = try Font.system()                                     // DejaVu Sans, if it is installed
/// let path = try font.path(for: "Vitrine", style: TextStyle(size: 0.1))
/// let letters = try Geometry.extruded(path, depth: 0.02, bevel: Bevel(radius: 0.003))
/// ```
///
/// Sendable: after `init` the HarfBuzz objects are marked immutable, which makes them safe to use from any thread. No other state changes.
public final class Font: @unchecked Sendable {
    /// The full name in the font file; the path if it has none.
    public let name: String
    /// The extents of a line in font units, up from the baseline: top, bottom (negative) and the gap to the next line.
    public let ascender, descender, lineGap: Float
    /// Font units per em.
    public let unitsPerEm: Float
    let handle: OpaquePointer

    /// Reads a font file.
    ///
    /// - Parameters:
    ///   - url: A local file of at most 256 MiB.
    ///   - index: The font in a collection (.ttc), from 0.
    /// - Throws: `.file`, `.notAFont`.
    public convenience init(contentsOf url: URL, index: Int = 0) throws(TextError) {
        let bytes: [UInt8]
        do { bytes = try FileBytes.read(url, limit: 1 << 28) } catch { throw .file(error) }
        try self.init(bytes: bytes, index: index, name: url.path)
    }

    /// Reads a font from memory.
    ///
    /// - Parameters:
    ///   - bytes: The content of a font file.
    ///   - index: The font in a collection, from 0.
    ///   - name: The name in error messages.
    /// - Throws: `.notAFont`.
    public init(bytes: [UInt8], index: Int = 0, name: String = "font") throws(TextError) {
        guard bytes.count <= 1 << 28, index >= 0, index < 65_536 else { throw .notAFont(name) }
        let blob = bytes.withUnsafeBytes { raw in
            hb_blob_create(
                raw.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(raw.count), HB_MEMORY_MODE_DUPLICATE, nil, nil)
        }
        defer { hb_blob_destroy(blob) }
        guard UInt32(index) < hb_face_count(blob) else { throw .notAFont(name) }
        let face = hb_face_create(blob, UInt32(index))
        defer { hb_face_destroy(face) }
        guard hb_face_get_glyph_count(face) > 0, hb_face_get_upem(face) > 0, let font = hb_font_create(face) else { throw .notAFont(name) }
        hb_face_make_immutable(face)
        hb_font_make_immutable(font)
        handle = font
        unitsPerEm = Float(hb_face_get_upem(face))
        var extents = hb_font_extents_t()
        hb_font_get_h_extents(font, &extents)
        (ascender, descender, lineGap) = (Float(extents.ascender), Float(extents.descender), Float(extents.line_gap))
        self.name = Font.fullName(face) ?? name
    }

    deinit { hb_font_destroy(handle) }

    private static func fullName(_ face: OpaquePointer?) -> String? {
        var length = UInt32(256)
        var text = [CChar](repeating: 0, count: 256)
        hb_ot_name_get_utf8(face, hb_ot_name_id_t(HB_OT_NAME_ID_FULL_NAME), nil, &length, &text)
        guard length > 0 else { return nil }
        let bytes = text.prefix(Int(length)).prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
