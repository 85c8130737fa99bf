let plyTarget = FuzzTarget.mesh(
    seeds: [
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n"
            + "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 9\n1 0 0 9\n0 1 0 9\n3 0 1 2\n",
        "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty double x\nproperty short y\nproperty float z\nproperty float nx\n"
            + "property float ny\nproperty float nz\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n"
            + String(repeating: "\0", count: 40),
        "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nproperty float s\n"
            + "property float t\nproperty float blue\nproperty float red\nproperty float green\nproperty list int8 uint16 more\nend_header\n"
            + String(repeating: "\0", count: 50),
    ]) { input in Array("ply\n".utf8) + input.dropFirst(4) }
