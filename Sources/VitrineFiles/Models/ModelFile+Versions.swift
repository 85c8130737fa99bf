import CCodecs
import CExpat
import CMeshOptimizer
import CZlib

extension ModelFile {
    /// The libraries that models are packed and parsed with, with their versions.
    public static var libraryVersions: [(name: String, version: String)] {
        let length = 32
        let packing = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2 * length) { texts -> (String, String) in
            guard let start = texts.baseAddress else { return ("", "") }
            vitrine_packing_versions(start, start + length)
            return (String(cString: start), String(cString: start + length))
        }
        let optimizer = Int(MESHOPTIMIZER_VERSION)
        return [
            ("Draco", packing.0), ("Zstandard", packing.1), ("meshoptimizer", "\(optimizer / 1000).\(optimizer % 1000 / 10)"),
            ("expat", expatVersion), ("zlib", String(cString: zlibVersion())),
        ]
    }

    private static var expatVersion: String {
        let version = XML_ExpatVersionInfo()
        return "\(version.major).\(version.minor).\(version.micro)"
    }
}
