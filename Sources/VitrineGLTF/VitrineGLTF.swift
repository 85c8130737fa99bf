// VitrineGLTF
