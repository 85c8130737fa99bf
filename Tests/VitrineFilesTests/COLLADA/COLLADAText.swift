import VitrineFiles
import VitrineScene

/// Small COLLADA documents for tests.
enum COLLADAText {
    /// A document with these libraries, and a visual scene of these nodes.
    static func document(_ libraries: String = "", nodes: String = "", asset: String = "<unit meter=\"1\"/>", version: String = "1.4.1")
        -> String
    {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="\(version)"><asset>\(asset)</asset>
        \(libraries)
        <library_visual_scenes><visual_scene id="s">\(nodes)</visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>
        """
    }

    /// A `<source>` of floats.
    static func source(_ id: String, _ values: String, _ names: [String]) -> String {
        let count = values.split(whereSeparator: \.isWhitespace).count
        let parameters = names.map { "<param name=\"\($0)\" type=\"float\"/>" }.joined()
        return """
            <source id="\(id)"><float_array id="\(id)-a" count="\(count)">\(values)</float_array><technique_common>
            <accessor source="#\(id)-a" count="\(count / max(names.count, 1))" stride="\(names.count)">\(parameters)</accessor></technique_common></source>
            """
    }

    /// A mesh `g` of positions and one primitive element.
    static func mesh(_ positions: String, _ primitive: String, sources: String = "", id: String = "g") -> String {
        """
        <geometry id="\(id)"><mesh>\(source(id + "p", positions, ["X", "Y", "Z"]))\(sources)
        <vertices id="\(id)v"><input semantic="POSITION" source="#\(id)p"/></vertices>\(primitive)</mesh></geometry>
        """
    }

    static let vertexInput = "<input semantic=\"VERTEX\" source=\"#gv\" offset=\"0\"/>"

    static func geometry(_ positions: String, _ primitive: String, sources: String = "") -> String {
        "<library_geometries>\(mesh(positions, primitive, sources: sources))</library_geometries>"
    }

    static func load(_ text: String, files: [String: [UInt8]] = [:]) throws -> LoadedScene { try load(Array(text.utf8), files: files) }

    static func load(_ bytes: [UInt8], files: [String: [UInt8]] = [:]) throws -> LoadedScene {
        try SceneFile.read(bytes, name: "a.dae") { (path) throws(FileError) in
            guard let found = files[path] else { throw FileError(path: path, reason: "is not there") }
            return found
        }
    }
}
