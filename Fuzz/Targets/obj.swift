/// The first half up to a zero byte is the OBJ, the rest its MTL.
let objTarget = FuzzTarget.mesh(
    seeds: [
        "v 0 0 0 1 0 0\nv 1 0 0\nv 0 1e0 0\nv 1 1 1\nvt 0 1\nvn 0 0 1\nmtllib a\no x\nusemtl m\nf 1/1/1 2//1 -2/1\nf 1 2 3 4\nl 1 2 3\np 1\n\0"
            + "newmtl m\nKd 1 0.5 0\nKe 1\nd 0.5\nNs 10\nPr 0.5\nPm 1\nmap_Kd -clamp on a.png\nnorm -s 1 1 1 b.png\nillum 0\n",
        "mtllib a\n\0newmtl\nTr\nmap_Pr -o 1 -bm x\nKd x\n",
    ]) { input in Array("v 0 0 0\n".utf8) + input }
