import CHarfBuzz
import VitrineImageFiles
import VitrineMath
import VitrineScene

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
/// Sendable: `init` marks the HarfBuzz objects as immutable, which makes them safe to use from any thread. No other state changes.
public final class Font: @unchecked Sendable {
    /// The full name in the font file, or the path if the file has no name.
    public let name: String
    /// The extents of a line in font units, up from the baseline: top, bottom (negative) and the gap to the next line.
    public let ascender, descender, lineGap: Float
    /// The number of font units per em.
    public let unitsPerEm: Float
    let handle: OpaquePointer

    /// Reads a font file.
    ///
    /// - Parameters:
    ///   - url: A local file of at most 256 MiB.
    ///   - index: The index of the font in a collection (.ttc), from 0.
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
    ///   - index: The index of the font in a collection, from 0.
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

extension Font {
    /// Returns the outlines of a text, with kerning, ligatures, and scripts of both directions.
    ///
    /// Lines break at line feeds and, with `TextStyle.maximumWidth`, at spaces. Text runs of opposite directions in one line are in visual order;
    /// bidirectional control characters are ignored.
    ///
    /// - Throws: `.missingGlyphs`, `.feature`, `.tooLong`.
    public func path(for text: String, style: TextStyle = TextStyle()) throws(TextError) -> Path {
        try layout(text, style: style).path
    }

    /// Returns the outlines of a text and the size of its lines.
    ///
    /// - Throws: `.missingGlyphs`, `.feature`, `.tooLong`.
    public func layout(_ text: String, style: TextStyle = TextStyle()) throws(TextError) -> TextLayout {
        guard text.count <= TextStyle.maximumLength, text.unicodeScalars.count <= TextStyle.maximumLength * 4 else {
            throw .tooLong(text.count)
        }
        let setter = TypeSetter(font: self, style: style, features: try Font.features(style.features))
        let lines = setter.lines(of: text)
        let missing = lines.flatMap(\.missing)
        guard missing.isEmpty || style.drawsMissingGlyphs else { throw .missingGlyphs(Font.characters(missing), font: name) }
        let scale = style.size / unitsPerEm
        return TextLayout(
            path: setter.path(of: lines), width: lines.reduce(0) { max($0, $1.width * scale) }, lineCount: lines.count,
            ascender: ascender * scale, descender: -descender * scale,
            lineHeight: (ascender - descender + lineGap) * scale * style.lineSpacing)
    }

    /// Returns the distinct characters, in the order of the text.
    private static func characters(_ scalars: [Unicode.Scalar]) -> [Character] {
        var found: [Character] = []
        for scalar in scalars where !found.contains(Character(scalar)) { found.append(Character(scalar)) }
        return found
    }

    private static func features(_ texts: [String]) throws(TextError) -> [hb_feature_t] {
        var features: [hb_feature_t] = []
        for text in texts {
            var feature = hb_feature_t()
            guard hb_feature_from_string(text, -1, &feature) != 0 else { throw .feature(text) }
            features.append(feature)
        }
        return features
    }
}

/// Shapes, breaks and positions the lines of a text.
private struct TypeSetter {
    let font: Font
    let style: TextStyle
    let features: [hb_feature_t]

    /// The number of metres per font unit.
    private var scale: Float { style.size / font.unitsPerEm }

    func lines(of text: String) -> [ShapedLine] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { broken(Array($0.unicodeScalars)) }
    }

    private func shaped(_ line: [Unicode.Scalar]) -> ShapedLine {
        ShapedLine(line, font: font, features: features, letterSpacing: style.letterSpacing * font.unitsPerEm)
    }

    /// Returns the parts of a line, broken at spaces if it is wider than the style allows.
    private func broken(_ line: [Unicode.Scalar]) -> [ShapedLine] {
        let whole = shaped(line)
        guard let width = style.maximumWidth, whole.width * scale > width else { return [whole] }
        var lines: [ShapedLine] = []
        var current: [Unicode.Scalar] = []
        var currentShape: ShapedLine?
        for word in line.split(separator: " ", omittingEmptySubsequences: true) {
            let longer = current.isEmpty ? Array(word) : current + [" "] + word
            let shape = shaped(longer)
            if let done = currentShape, shape.width * scale > width {
                lines.append(done)
                (current, currentShape) = (Array(word), shaped(Array(word)))
            } else {
                (current, currentShape) = (longer, shape)
            }
        }
        if let currentShape { lines.append(currentShape) }
        return lines
    }

    func path(of lines: [ShapedLine]) -> Path {
        let outlines = GlyphOutlines()
        let lineHeight = (font.ascender - font.descender + font.lineGap) * scale * style.lineSpacing
        for (number, line) in lines.enumerated() {
            let share: Float = style.alignment == .left ? 0 : style.alignment == .center ? 0.5 : 1
            let start = Vector2(-line.width * scale * share, -lineHeight * Float(number))
            for glyph in line.glyphs { outlines.add(glyph.number, of: font, at: start + glyph.origin * scale, scale: scale) }
        }
        guard style.anchor == .center, let box = outlines.path.controlBounds else { return outlines.path }
        return outlines.path.translated(by: -(box.minimum + box.maximum) / 2)
    }
}

extension Font {
    /// Returns an installed font.
    ///
    /// ```swift
    /// let bold = try Font.system(named: "DejaVuSans-Bold")
    /// ```
    ///
    /// - Parameter name: The file name without extension; case, spaces, hyphens and underscores are ignored. nil for the first installed of
    ///   DejaVu Sans, Liberation Sans, Noto Sans, FreeSans, Helvetica and Arial, otherwise the first font by path.
    /// - Throws: `.noFont` with the folders that were searched; `.file`, `.notAFont`.
    public static func system(named name: String? = nil) throws(TextError) -> Font {
        let files = installedFiles()
        let wanted = name.map { [$0] } ?? preferred
        for candidate in wanted {
            if let file = files.first(where: { plain($0.deletingPathExtension().lastPathComponent) == plain(candidate) }) {
                return try Font(contentsOf: file)
            }
        }
        guard name == nil, let first = files.first else { throw .noFont(named: name, searched: folders) }
        return try Font(contentsOf: first)
    }

    private static let preferred = [
        "DejaVuSans", "LiberationSans-Regular", "NotoSans-Regular", "FreeSans", "Helvetica", "Arial",
    ]

    private static let folders: [String] = {
        let home = ProcessInfo.processInfo.environment["HOME"]
        let own = home.map { ["\($0)/.local/share/fonts", "\($0)/.fonts", "\($0)/Library/Fonts"] } ?? []
        return own + ["/usr/local/share/fonts", "/usr/share/fonts", "/Library/Fonts", "/System/Library/Fonts"]
    }()

    private static func plain(_ name: String) -> String { name.lowercased().filter { $0 != " " && $0 != "-" && $0 != "_" } }

    /// Returns font files, folder by folder, sorted by path within each.
    static func installedFiles() -> [URL] {
        var files: [URL] = []
        for folder in folders { collect(URL(fileURLWithPath: folder), depth: 0, into: &files) }
        return files
    }

    private static let extensions: Set<String> = ["ttf", "otf", "ttc", "otc"]

    private static func collect(_ folder: URL, depth: Int, into files: inout [URL]) {
        guard depth < 6, files.count < 20_000 else { return }
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        for name in names {
            let entry = folder.appendingPathComponent(name)
            if extensions.contains(entry.pathExtension.lowercased()) {
                files.append(entry)
            } else if !name.contains(".") {
                collect(entry, depth: depth + 1, into: &files)
            }
        }
    }
}

extension Font {
    /// The version of the HarfBuzz library.
    public static var libraryVersion: String { String(cString: hb_version_string()) }
}
